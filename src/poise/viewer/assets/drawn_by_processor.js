// Pictures that a machine without a graphics card can afford. With one, nothing changes.
//
// The page finds out who draws before its first picture. Where it is the processor:
// - every sample of a smoothed edge is a picture's worth of work, so there are none;
// - keeping the last picture costs a copy of it, so it is not kept;
// - plots are drawn faster by plain means than by a graphics card that is only imitated;
// - matt surfaces are shaded as matt surfaces: the general formula, with gloss, metal and maps,
//   gives nearly the same colours and is half of all the work of a picture.
(() => {
  const own = HTMLCanvasElement.prototype.getContext;
  let plain = null;
  const drawnByProcessor = () => {
    const gl = own.call(document.createElement('canvas'), 'webgl2');
    if (!gl) return false;
    const told = gl.getExtension('WEBGL_debug_renderer_info');
    const who = gl.getParameter(told ? told.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
    gl.getExtension('WEBGL_lose_context')?.loseContext();
    return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(who);
  };
  const cheaper = kind => {
    if (kind === '2d') return {willReadFrequently: true};
    return String(kind).startsWith('webgl')
      ? {antialias: false, preserveDrawingBuffer: false} : {};
  };
  HTMLCanvasElement.prototype.getContext = function (kind, wish) {
    if (plain === null) plain = drawnByProcessor();
    return own.call(this, kind, plain ? {...wish, ...cheaper(kind)} : wish);
  };

  // What a surface is made of stands in the definitions at the top of its shader. One that has
  // anything beyond a colour (a map, colours of its corners, fog, shadows) is left as it is.
  const beyondColour = /^#define (USE_(?!REVERSED_DEPTH)|FLAT_SHADED|ALPHA|DITHERING)/m;
  const lamps = (source, kind) => {
    const found = source.match(new RegExp(`uniform \\w+ ${kind}Lights\\[ (\\d+) \\];`));
    return found ? Number(found[1]) : 0;
  };
  const each = (count, line) => Array.from({length: count}, (_, k) => line(k)).join('\n');
  const matt = source => {
    const begins = source.lastIndexOf('void main()');
    const top = source.slice(0, source.indexOf('uniform '));
    const known = top.includes('#define SHADER_TYPE MeshStandardMaterial')
      && source.includes('pc_fragColor') && source.includes('getHemisphereLightIrradiance(');
    const others = ['sun', 'point', 'spot', 'rectArea'].some(kind => lamps(source, kind) > 0);
    if (begins < 0 || !known || others || beyondColour.test(top)) return source;
    return `${source.slice(0, begins)}
void main() {
  vec3 n = normalize(vNormal);
  #ifdef DOUBLE_SIDED
    if (!gl_FrontFacing) n = -n;
  #endif
  vec3 light = ambientLightColor;
  ${each(lamps(source, 'directional'), k => `light += directionalLights[${k}].color
    * max(dot(n, directionalLights[${k}].direction), 0.0);`)}
  ${each(lamps(source, 'hemisphere'), k =>
    `light += getHemisphereLightIrradiance(hemisphereLights[${k}], n);`)}
  vec4 seen = vec4(diffuse * light * RECIPROCAL_PI + emissive, opacity);
  #ifdef OPAQUE
    seen.a = 1.0;
  #endif
  #ifdef TONE_MAPPING
    seen.rgb = toneMapping(seen.rgb);
  #endif
  gl_FragColor = linearToOutputTexel(seen);
  #ifdef PREMULTIPLIED_ALPHA
    gl_FragColor.rgb *= gl_FragColor.a;
  #endif
}`;
  };
  const give = WebGL2RenderingContext.prototype.shaderSource;
  WebGL2RenderingContext.prototype.shaderSource = function (shader, source) {
    return give.call(this, shader, plain ? matt(source) : source);
  };
})();
