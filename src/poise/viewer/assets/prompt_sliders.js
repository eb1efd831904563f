// A press on a slider is told at once.
//
// Sliders tell where they were pressed with the next picture; while the one before is still being
// drawn, that is a picture's time later.
(() => {
  const ask = window.requestAnimationFrame, forget = window.cancelAnimationFrame;
  const waiting = new Set();
  let pressing = false, numbered = 2 ** 41;  // far from the numbers that the browser gives
  const press = event => {
    if (!event.target.closest?.('.mantine-Slider-root')) return;
    pressing = true;
    setTimeout(() => { pressing = false; });
  };
  for (const kind of ['mousedown', 'touchstart']) {
    window.addEventListener(kind, press, {capture: true, passive: true});
  }
  window.requestAnimationFrame = callback => {
    if (!pressing) return ask.call(window, callback);
    const number = ++numbered;
    waiting.add(number);
    queueMicrotask(() => {
      pressing = false;  // what it asks for itself comes with the next picture
      if (waiting.delete(number)) callback(performance.now());
    });
    return number;
  };
  window.cancelAnimationFrame = number => {
    if (!waiting.delete(number)) forget.call(window, number);
  };
})();
