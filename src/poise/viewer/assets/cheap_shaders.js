// The same picture with less work for each of its pixels, where the processor draws.
//
// A processor that stands in for a graphics card works out both sides of every branch for every
// pixel, so that only what is not in a program at all costs nothing. The page's programs are known
// by their words as they are linked; one that is not known, or does more, is left as it is.
(() => {
  const proto = WebGL2RenderingContext.prototype;
  const HEAD = '#version 300 es\nprecision highp float;\nprecision highp int;\n';
  const has = (source, name) => new RegExp(`^\\s*#define ${name}\\b`, 'm').test(source);

  // Colours as a screen wants them. Its curve comes from roots, which are cheaper than powers: the
  // best fit between 0.004 and 1, right to 0.1 of 255 there. How the page tones colours is its own.
  const toning = source => {
    const from = source.indexOf('uniform float toneMappingExposure;');
    const to = source.indexOf('\n', source.indexOf('vec3 toneMapping('));
    const toned = has(source, 'TONE_MAPPING') && from > 0 && to > from;
    return `#define saturate(a) clamp(a, 0.0, 1.0)\n${toned ? source.slice(from, to) : ''}
vec3 onScreen(vec3 linear) {
  vec3 root = sqrt(linear);
  return max(0.8282 * root + 0.3028 * sqrt(root) - 0.0534 * linear - 0.0779, 0.0);
}
vec3 tonedOnScreen(vec3 linear) { return onScreen(${toned ? 'toneMapping(linear)' : 'linear'}); }
`;
  };

  // A matt surface under lamps far away: its colour is worked out at its corners, not at its
  // pixels. The general formula, with gloss, metal and maps, gives nearly the same colours.
  const lamps = (source, kind) => {
    const found = source.match(new RegExp(`uniform \\w+ ${kind}Lights\\[ (\\d+) \\];`));
    return found ? Number(found[1]) : 0;
  };
  const each = (count, line) => Array.from({length: count}, (_, k) => line(k)).join('');
  const matt = (vertex, fragment) => {
    const more = /^#define (USE_(?!REVERSED_DEPTH)|FLAT_SHADED|FLIP_SIDED|ALPHA|DITHERING)/m;
    const top = source => source.slice(0, source.indexOf('uniform '));
    const known = top(fragment).includes('#define SHADER_TYPE MeshStandardMaterial')
      && fragment.includes('getHemisphereLightIrradiance(')
      && ['sun', 'point', 'spot', 'rectArea'].every(kind => lamps(fragment, kind) === 0)
      && !more.test(top(fragment)) && !more.test(top(vertex));
    if (!known) return null;
    const far = lamps(fragment, 'directional'), sky = lamps(fragment, 'hemisphere');
    const both = has(fragment, 'DOUBLE_SIDED');
    return [`${HEAD}${toning(fragment)}
in vec3 position, normal;
out vec3 seen;
${both ? 'out vec3 seenBehind;' : ''}
uniform mat4 modelViewMatrix, projectionMatrix;
uniform mat3 normalMatrix;
uniform vec3 diffuse, emissive, ambientLightColor;
struct DirectionalLight { vec3 direction, color; };
struct HemisphereLight { vec3 direction, skyColor, groundColor; };
${far ? `uniform DirectionalLight directionalLights[${far}];` : ''}
${sky ? `uniform HemisphereLight hemisphereLights[${sky}];` : ''}
vec3 lit(vec3 n) {
  vec3 light = ambientLightColor;
  ${each(far, k => `
  light += directionalLights[${k}].color * max(dot(n, directionalLights[${k}].direction), 0.0);`)}
  ${each(sky, k => `
  light += mix(hemisphereLights[${k}].groundColor, hemisphereLights[${k}].skyColor,
    0.5 * dot(n, hemisphereLights[${k}].direction) + 0.5);`)}
  return tonedOnScreen(diffuse * light / 3.14159265 + emissive);
}
void main() {
  vec3 n = normalize(normalMatrix * normal);
  seen = lit(n);
  ${both ? 'seenBehind = lit(-n);' : ''}
  gl_Position = projectionMatrix * (modelViewMatrix * vec4(position, 1.0));
}`, `${HEAD}
in vec3 seen;
${both ? 'in vec3 seenBehind;' : ''}
uniform float opacity;
layout(location = 0) out vec4 colour;
void main() {
  vec3 rgb = ${both ? 'gl_FrontFacing ? seen : seenBehind' : 'seen'};
  float alpha = ${has(fragment, 'OPAQUE') ? '1.0' : 'opacity'};
  colour = vec4(rgb${has(fragment, 'PREMULTIPLIED_ALPHA') ? ' * alpha' : ''}, alpha);
}`];
  };

  // The floor is most of a picture: what is the same at all its pixels is worked out at its corners.
  const floor = (vertex, fragment) => {
    const known = fragment.includes('float getGrid(float size, float thickness)')
      && vertex.includes('uniform bool followCamera;')
      && !['USE_SHADOWMAP', 'USE_FOG'].some(name => has(fragment, name));
    return known ? [`${HEAD}${toning(fragment)}
in vec3 position;
out vec2 place;
out vec3 away;
flat out vec3 cellRgb, sectionRgb, planeRgb;
uniform mat4 modelMatrix, viewMatrix, projectionMatrix;
uniform vec3 worldCamProjPosition, worldPlanePosition, cellColor, sectionColor, planeColor;
uniform float fadeDistance, fadeFrom;
uniform bool infiniteGrid, followCamera;
void main() {
  vec3 local = position.xzy * (infiniteGrid ? 1.0 + fadeDistance : 1.0);
  vec4 world = modelMatrix * vec4(local, 1.0);
  if (followCamera) {
    world.xyz += worldCamProjPosition - worldPlanePosition;
    local = (inverse(modelMatrix) * world).xyz;
  }
  place = local.xz;
  away = (world.xyz - worldCamProjPosition * fadeFrom) / fadeDistance;
  cellRgb = tonedOnScreen(cellColor);
  sectionRgb = tonedOnScreen(sectionColor);
  planeRgb = onScreen(planeColor);
  gl_Position = projectionMatrix * viewMatrix * world;
}`, `${HEAD}
in vec2 place;
in vec3 away;
flat in vec3 cellRgb, sectionRgb, planeRgb;
uniform float cellSize, sectionSize, cellThickness, sectionThickness, fadeStrength, planeOpacity;
layout(location = 0) out vec4 colour;
float grid(float size, float thickness, vec2 pixel) {
  vec2 off = abs(fract(place / size - 0.5) - 0.5) * (size * pixel);
  return max(thickness - min(off.x, off.y), 0.0);
}
void main() {
  vec2 pixel = 1.0 / fwidth(place);
  float cell = grid(cellSize, cellThickness, pixel);
  float section = min(grid(sectionSize, sectionThickness, pixel), 1.0);
  float near = 1.0 - min(length(away), 1.0);
  float fade = max(mix(near, near * near, fadeStrength - 1.0), 0.0);  // about near ^ fadeStrength
  float line = min((min(cell, 1.0) + section) * fade, 1.0);
  line *= mix(0.75, 1.0, section);
  float plane = planeOpacity * fade * (1.0 - line);
  vec3 rgb = mix(cellRgb, sectionRgb, min(sectionThickness * section, 1.0));
  float alpha = line + plane;
  colour = vec4(mix(planeRgb, rgb, line / max(alpha, 1e-4)), alpha);
}`] : null;
  };

  // Lines are thin boxes. A second box gives each a smooth fringe, and round ends are cut out of
  // it pixel by pixel: neither is to be seen in something so
  // small. Without the fringe it is drawn as much thicker as it looked.
  const line = (vertex, fragment) => {
    const search = /#ifdef WORLD_UNITS\s*\/\/ Find the closest points[^]*?\n\s*#else\s*\n\s*#ifdef USE_ALPHA/;
    if (has(fragment, 'USE_DASH') || !search.test(fragment)) return null;
    if (has(vertex, 'VISER_LINE_FRINGE')) return [];
    return [
      vertex.replace('float renderWidth = linewidth;', 'float renderWidth = 1.5 * linewidth;'),
      fragment.replace(search, '#ifdef WORLD_UNITS\n#else\n#ifdef USE_ALPHA')
    ];
  };
  // A picture behind everything, as large as the view, is passed over pixel by pixel when there is
  // none; it can as well not be there.
  const backdrop = (vertex, fragment) => {
    const known = fragment.includes('uniform bool enabled;') && fragment.includes('hasDepth');
    return known ? [vertex.replace('void main() {', `uniform bool enabled;
void main() {
  if (!enabled) { gl_Position = vec4(0.0, 0.0, 2.0, 1.0); return; }`), fragment] : null;
  };

  const words = new WeakMap(), parts = new WeakMap();
  const spared = new WeakSet();  // programs of which nothing is to be seen
  let sparing = false;
  const own = {};
  for (const name of ['shaderSource', 'compileShader', 'attachShader', 'linkProgram', 'useProgram',
    'drawElementsInstanced']) own[name] = proto[name];
  proto.shaderSource = function (shader, source) {
    words.set(shader, source);
    own.shaderSource.call(this, shader, source);
  };
  proto.compileShader = function (shader) {  // later, when both of a program are known
    if (!window.poise.drawnByProcessor()) own.compileShader.call(this, shader);
  };
  proto.attachShader = function (program, shader) {
    parts.set(program, [...(parts.get(program) ?? []), shader]);
    own.attachShader.call(this, program, shader);
  };
  proto.linkProgram = function (program) {
    if (window.poise.drawnByProcessor()) {
      const shaders = parts.get(program) ?? [];
      const sources = shaders.map(shader => words.get(shader) ?? '');
      const cheap = sources.length !== 2 ? null
        : [matt, floor, line, backdrop].reduce((found, way) => found ?? way(...sources), null);
      if (cheap?.length === 0) spared.add(program);
      shaders.forEach((shader, k) => {
        if (cheap?.length) own.shaderSource.call(this, shader, cheap[k]);
        own.compileShader.call(this, shader);
      });
    }
    own.linkProgram.call(this, program);
  };
  proto.useProgram = function (program) {
    sparing = program !== null && spared.has(program);
    own.useProgram.call(this, program);
  };
  proto.drawElementsInstanced = function (...what) {
    if (!sparing) own.drawElementsInstanced.apply(this, what);
  };
})();
