// Who draws: a graphics card, or the processor in its stead? The page asks before its first picture.
//
// Where it is the processor, canvases are asked for as it can afford them:
// - every sample of a smoothed edge is a picture's worth of work, so there are none;
// - keeping the last picture costs a copy of it, so it is not kept;
// - what could be seen through a picture would have to be drawn as well, so it is as opaque as the
//   page behind it;
// - plots are drawn faster by plain means than by a graphics card that is only imitated.
window.poise = {};
(() => {
  const own = HTMLCanvasElement.prototype.getContext;
  let known = null;
  const look = () => {
    const gl = own.call(document.createElement('canvas'), 'webgl2');
    if (!gl) return false;
    const told = gl.getExtension('WEBGL_debug_renderer_info');
    const who = gl.getParameter(told ? told.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
    gl.getExtension('WEBGL_lose_context')?.loseContext();
    return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(who);
  };
  window.poise.drawnByProcessor = () => {
    if (known === null && (known = look())) document.documentElement.dataset.drawnBy = 'processor';
    return known;
  };
  const cheaper = kind => {
    if (kind === '2d') return {willReadFrequently: true};
    return String(kind).startsWith('webgl')
      ? {antialias: false, preserveDrawingBuffer: false, alpha: false} : {};
  };
  HTMLCanvasElement.prototype.getContext = function (kind, wish) {
    return own.call(
      this, kind, window.poise.drawnByProcessor() ? {...wish, ...cheaper(kind)} : wish
    );
  };

  const paper = canvas => {
    for (let one = canvas.parentElement; one; one = one.parentElement) {
      const [r, g, b, a = 1] = getComputedStyle(one).backgroundColor.match(/[\d.]+/g).map(Number);
      if (a > 0) return [r / 255, g / 255, b / 255];
    }
    return [1, 1, 1];
  };
  const clearColor = WebGL2RenderingContext.prototype.clearColor;
  WebGL2RenderingContext.prototype.clearColor = function (r, g, b, a) {
    const seenThrough = a === 0 && window.poise.drawnByProcessor() && this.canvas.isConnected;
    clearColor.call(this, ...(seenThrough ? [...paper(this.canvas), 1] : [r, g, b, a]));
  };
})();
