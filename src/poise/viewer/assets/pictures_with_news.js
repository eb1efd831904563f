// No picture twice, where the processor draws.
//
// After each change the page draws on for a quarter of a second, as fast as it can, in case that
// something is still to come. On a processor, the next change would wait for a picture that shows
// nothing new. Here the page draws when it was told something or a hand is at work, and else now
// and then.
(() => {
  const IDLE = 120;  // [ms], at least, between two pictures without news
  const LIVELY = 600;  // [ms], after a hand did something: the camera comes to rest by itself
  const ask = window.requestAnimationFrame, forget = window.cancelAnimationFrame;
  const painters = new WeakSet();  // callbacks that draw
  let painted = false, drawnAt = -Infinity, newsAt = 0, livelyUntil = 0;
  let numbered = 2 ** 40;  // far from the numbers that the browser gives
  let next = null;  // the painter that waits: its number, and what the browser calls it by then

  const clear = WebGL2RenderingContext.prototype.clear;
  WebGL2RenderingContext.prototype.clear = function (mask) {
    painted = true;
    clear.call(this, mask);
  };
  const run = (callback, time) => {
    const began = performance.now();
    painted = false;
    if (painters.has(callback)) drawnAt = began;
    callback(time);
    if (painted) painters.add(callback);
  };
  const release = () => {
    if (next === null || next.asked) return;
    clearTimeout(next.timer);
    next.asked = ask.call(window, time => {
      const {callback} = next;
      next = null;
      run(callback, time);
    });
  };
  const news = () => {
    newsAt = performance.now();
    release();
  };
  const hand = () => {
    livelyUntil = performance.now() + LIVELY;
    release();
  };

  window.requestAnimationFrame = callback => {
    const other = next !== null && next.callback !== callback;
    if (other || !painters.has(callback) || !window.poise.drawnByProcessor()) {
      return ask.call(window, time => run(callback, time));
    }
    next ??= {callback, asked: 0, number: ++numbered, timer: 0};
    const now = performance.now();
    if (newsAt > drawnAt || now < livelyUntil) release();
    else if (!next.timer) next.timer = setTimeout(release, IDLE - (now - drawnAt));
    return next.number;
  };
  window.cancelAnimationFrame = number => {
    if (next === null || number !== next.number) return forget.call(window, number);
    clearTimeout(next.timer);
    if (next.asked) forget.call(window, next.asked);
    next = null;
  };

  window.Worker = class extends window.Worker {
    constructor(...what) {
      super(...what);
      this.addEventListener('message', ({data}) => {
        if (data?.messages?.some(message => !String(message.type).startsWith('Gui'))) news();
      });
    }
  };
  const onPicture = event => { if (event.target.tagName === 'CANVAS') hand(); };
  for (const kind of ['pointerdown', 'pointermove', 'pointerup', 'wheel']) {
    window.addEventListener(kind, onPicture, {capture: true, passive: true});
  }
  const byHand = event => { if (event.isTrusted) hand(); };  // the page presses keys of its own
  for (const kind of ['keydown', 'resize']) window.addEventListener(kind, byHand, {capture: true});
})();
