// How large the view of the robot is, as a person sees it.
//
// Viser tells the size of the picture that is drawn: on a fine screen that has twice as many points
// as the page, and on a slow machine fewer. Panels are as wide as a page says, so the page tells the
// size that the view takes on it.
(() => {
  window.Worker = class extends window.Worker {
    postMessage(data, ...more) {
      const view = document.querySelector('canvas[data-engine]');
      if (data?.message?.type === 'ViewerCameraMessage' && view?.clientWidth) {
        data.message.image_width = view.clientWidth;
        data.message.image_height = view.clientHeight;
      }
      super.postMessage(data, ...more);
    }
  };
})();
