// That there is no graphics card is said once, and does not stay in front of the robot.
(() => {
  const LONG_ENOUGH = 12000;  // [ms], to read it
  const look = setInterval(() => {
    const notice = document.getElementById('webgl-software-rendering');
    if (!notice) return;
    clearInterval(look);
    setTimeout(() => notice.querySelector('button')?.click(), LONG_ENOUGH);
  }, 1000);
  setTimeout(() => clearInterval(look), 60000);  // there is a card
})();
