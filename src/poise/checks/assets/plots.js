// Plots over time on plain canvases, all with the same cursor; and the view from above.

const FONT = "11px system-ui, sans-serif";

function css(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

// A canvas sized to its place on the page; returns its context in CSS pixels.
function sized(canvas) {
  const ratio = Math.min(devicePixelRatio || 1, 2);
  const width = Math.round(canvas.clientWidth * ratio);
  const height = Math.round(canvas.clientHeight * ratio);
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const g = canvas.getContext("2d");
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, canvas.clientWidth, canvas.clientHeight);
  g.font = FONT;
  return g;
}

// Round numbers for an axis, about as many as asked for.
function ticks(low, high, count) {
  const raw = (high - low) / Math.max(count, 1) || 1, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map(m => m * power).find(m => m >= raw) || raw;
  const out = [];
  for (let x = Math.ceil(low / step - 1e-9) * step; x <= high + 1e-9 * step; x += step) out.push(x);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return out.map(x => [x, x.toFixed(digits).replace(/^-(0(\.0*)?)$/, "$1")]);
}

const reading = x => !Number.isFinite(x) ? "–" : Math.abs(x) < 5e-4 ? "0"
  : Math.abs(x) >= 1000 ? x.toFixed(0) : Number(x.toPrecision(3)).toString();

// A card with a title, a legend that reads the cursor, and a canvas.
function card(parent, title, kind = "") {
  const box = document.createElement("div");
  box.className = `card plot ${kind}`;
  const head = document.createElement("div");
  head.className = "head";
  const name = document.createElement("h2");
  name.textContent = title;
  const legend = document.createElement("div");
  legend.className = "legend";
  const canvas = document.createElement("canvas");
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", title);
  head.append(name, legend);
  box.append(head, canvas);
  parent.append(box);
  return { box, head, name, legend, canvas };
}

class Plot {
  // series: [{name, paint, values}] over `time`; limits: [{value, name}]; floor: least span.
  constructor(parent, title, unit, clock) {
    Object.assign(this, card(parent, title), { unit, clock, series: [], limits: [], floor: 1e-3 });
    this.canvas.addEventListener("pointerdown", event => {
      this.canvas.setPointerCapture(event.pointerId);
      this.seek(event);
    });
    this.canvas.addEventListener("pointermove", event => {
      if (event.buttons & 1) this.seek(event);
    });
  }

  seek(event) {
    const { left, width } = this.canvas.getBoundingClientRect();
    const { first, last } = this.clock, [a, b] = this.sides(width);
    this.clock.go(first + (last - first) * clamp((event.clientX - left - a) / (b - a), 0, 1));
  }

  sides(width) { return [44, width - 8]; }

  show(series, limits = [], floor = 1e-3) {
    Object.assign(this, { series, limits, floor, picture: null });
    this.legend.replaceChildren(...series.map(s => {
      const item = document.createElement("span"), dash = document.createElement("i");
      dash.style.background = `var(${s.paint})`;
      s.value = document.createElement("b");
      item.append(dash, s.name ? s.name + " " : "", s.value);
      return item;
    }));
  }

  range() {
    let low = Infinity, high = -Infinity;
    for (const { values } of this.series) {
      for (const x of values) if (x === x) { low = Math.min(low, x); high = Math.max(high, x); }
    }
    if (low > high) [low, high] = [0, 1];
    const span = Math.max(high - low, this.floor);
    for (const { value } of this.limits) {  // limits far away would flatten the curve
      if (value > high && value - high < 2.5 * span) high = value;
      if (value < low && low - value < 2.5 * span) low = value;
    }
    const more = Math.max(0.06 * (high - low), 0.5 * (this.floor - (high - low)));
    return [low - more, high + more];
  }

  // The part that does not move is drawn once and kept.
  base(g, width, height) {
    const [low, high] = this.range(), [a, b] = this.sides(width), top = 6, bottom = height - 18;
    const { first, last, times } = this.clock;
    const x = t => a + (b - a) * (t - first) / (last - first || 1);
    const y = v => bottom - (bottom - top) * (v - low) / (high - low);
    Object.assign(this, { x, y });
    g.lineWidth = 1;
    g.fillStyle = css("--soft");
    g.strokeStyle = css("--line");
    g.textAlign = "right";
    g.textBaseline = "middle";
    for (const [value, text] of ticks(low, high, 4)) {
      if (y(value) < top || y(value) > bottom) continue;
      line(g, a, y(value), b, y(value));
      g.fillText(text, a - 6, y(value));
    }
    g.textAlign = "center";
    g.textBaseline = "alphabetic";
    for (const [value, text] of ticks(first, last, width / 90)) g.fillText(text, x(value), height - 4);
    g.textAlign = "left";
    g.fillText(this.unit, 2, height - 4);
    const sides = this.limits.map(l => l.value).sort((p, q) => p - q);
    if (sides.length === 2) {
      g.fillStyle = css("--band");
      const [over, under] = [clamp(y(sides[1]), top, bottom), clamp(y(sides[0]), top, bottom)];
      g.fillRect(a, over, b - a, under - over);
    }
    g.save();
    g.beginPath();
    g.rect(a, top - 2, b - a, bottom - top + 4);
    g.clip();
    g.setLineDash([5, 4]);
    g.strokeStyle = css("--bad");
    for (const { value } of this.limits) line(g, a, y(value), b, y(value));
    for (const s of this.series) {
      g.setLineDash(s.dash ? [3, 3] : []);
      g.strokeStyle = css(s.paint);
      g.lineWidth = 1.6;
      g.beginPath();
      let down = false;
      for (let k = 0; k < times.length; k++) {
        const v = s.values[k];
        if (v !== v) { down = false; continue; }
        if (down) g.lineTo(x(times[k]), y(v)); else g.moveTo(x(times[k]), y(v));
        down = true;
      }
      g.stroke();
    }
    g.restore();
  }

  draw(t) {
    const { canvas } = this, { clientWidth: width, clientHeight: height } = canvas;
    if (!width) return;
    const g = sized(canvas);
    const key = [width, height, devicePixelRatio, document.documentElement.dataset.theme].join();
    if (this.picture?.key !== key) {
      const still = document.createElement("canvas");
      Object.assign(still, { width: canvas.width, height: canvas.height, key });
      const h = still.getContext("2d");
      h.setTransform(g.getTransform());
      h.font = FONT;
      this.base(h, width, height);
      this.picture = still;
    }
    g.drawImage(this.picture, 0, 0, width, height);
    const at = this.x(t);
    g.strokeStyle = css("--ink");
    g.globalAlpha = 0.55;
    line(g, at, 4, at, height - 16);
    g.globalAlpha = 1;
    for (const s of this.series) {
      const v = this.clock.value(s.values, t);
      s.value.textContent = reading(v);
      if (v === v) dotAt(g, at, this.y(v), 3, css(s.paint));
    }
  }
}

function line(g, x1, y1, x2, y2) {
  g.beginPath();
  g.moveTo(x1, y1);
  g.lineTo(x2, y2);
  g.stroke();
}

function dotAt(g, x, y, radius, paint) {
  g.fillStyle = paint;
  g.beginPath();
  g.arc(x, y, radius, 0, 2 * Math.PI);
  g.fill();
}

// From above, forward up and left to the left: footprints, support polygon, ZMP and CoM.
class Above {
  constructor(parent, played, clock) {
    Object.assign(this, card(parent, "From above", "tall"), { played, clock });
    for (const [name, paint] of [["CoM", "--third"], ["ZMP", "--fourth"], ["support", "--accent"]]) {
      const item = document.createElement("span"), dash = document.createElement("i");
      dash.style.background = `var(${paint})`;
      item.append(dash, name);
      this.legend.append(item);
    }
    const xy = [];
    for (const touch of played.touches) xy.push(...touch.points);
    const { data, rows } = played.com;
    for (let k = 0; k < rows; k++) xy.push([data[3 * k], data[3 * k + 1]]);
    const xs = xy.map(p => p[0]), ys = xy.map(p => p[1]);
    const low = [most(xs, Math.min), most(ys, Math.min)];
    const high = [most(xs, Math.max), most(ys, Math.max)];
    this.middle = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2];
    this.span = Math.max(high[0] - low[0], high[1] - low[1]) * 1.15 + 0.02;
    this.follow = this.span > 1.6 * played.height;
    if (this.follow) this.span = 0.8 * played.height;
  }

  draw(t) {
    const { canvas, clock, played } = this;
    const { clientWidth: width, clientHeight: height } = canvas;
    if (!width) return;
    const g = sized(canvas), com = clock.row(played.com, t), zmp = clock.row(played.zmp, t);
    const centre = this.follow ? com : this.middle;
    const scale = Math.min(width, height) / this.span;
    const at = p => [width / 2 - (p[1] - centre[1]) * scale, height / 2 - (p[0] - centre[0]) * scale];
    this.grid(g, width, height, centre, scale);
    for (const touch of played.touches) {
      const now = touch.from <= t && t <= touch.to;
      this.outline(g, touch.points.map(at), css(side(touch.part)), now ? 0.16 : 0.03, now ? 1 : 0.35);
    }
    const support = supportAt(played.supports, t);
    if (support) this.outline(g, support.corners.map(at), css("--accent"), 0.1, 1, [4, 3]);
    this.path(g, played.com, at, css("--third"));
    this.path(g, played.zmp, at, css("--fourth"));
    dotAt(g, ...at(com), 5, css("--third"));
    if (zmp[0] === zmp[0]) {
      dotAt(g, ...at(zmp), 5, css("--card"));
      dotAt(g, ...at(zmp), 4, css("--fourth"));
    }
  }

  grid(g, width, height, centre, scale) {
    const cell = ticks(0, this.span, 5)[1]?.[0] || 0.1;
    g.strokeStyle = css("--line");
    g.lineWidth = 1;
    const lines = (from, to, draw) => {
      for (let k = Math.floor(from / cell); k <= to / cell; k++) draw(k * cell);
    };
    const [up, aside] = [height / 2 / scale, width / 2 / scale];
    lines(centre[0] - up, centre[0] + up, x => {
      const y = height / 2 - (x - centre[0]) * scale;
      line(g, 0, y, width, y);
    });
    lines(centre[1] - aside, centre[1] + aside, y => {
      const x = width / 2 - (y - centre[1]) * scale;
      line(g, x, 0, x, height);
    });
    const long = cell * scale;
    g.fillStyle = g.strokeStyle = css("--soft");
    line(g, 8, height - 8, 8 + long, height - 8);
    g.textAlign = "left";
    g.fillText(cell < 1 ? `${Math.round(100 * cell)} cm` : `${cell} m`, 8, height - 13);
    g.fillText("x ↑  y ←", 8, 12);
  }

  outline(g, points, paint, fill, stroke, dash = []) {
    g.beginPath();
    points.forEach(([x, y], k) => (k ? g.lineTo(x, y) : g.moveTo(x, y)));
    g.closePath();
    g.globalAlpha = fill;
    g.fillStyle = paint;
    g.fill();
    g.globalAlpha = stroke;
    g.strokeStyle = paint;
    g.lineWidth = 1.5;
    g.setLineDash(dash);
    g.stroke();
    g.setLineDash([]);
    g.globalAlpha = 1;
  }

  path(g, { data, rows, width }, at, paint) {
    g.strokeStyle = paint;
    g.globalAlpha = 0.55;
    g.lineWidth = 1.2;
    g.beginPath();
    let down = false;
    for (let k = 0; k < rows; k++) {
      const p = [data[width * k], data[width * k + 1]];
      if (p[0] !== p[0]) { down = false; continue; }
      if (down) g.lineTo(...at(p)); else g.moveTo(...at(p));
      down = true;
    }
    g.stroke();
    g.globalAlpha = 1;
  }
}

const most = (values, which) => values.reduce((a, b) => which(a, b), values[0] ?? 0);
const side = part => part.startsWith("left") ? "--left" : part.startsWith("right") ? "--right" : "--fifth";
const supportAt = (supports, t) => supports.findLast(s => s.from <= t && t <= s.to);

// Who touches when, where the findings are, and where we are.
class Timeline {
  constructor(canvas, played, findings, clock) {
    Object.assign(this, { canvas, played, findings, clock });
    this.parts = [...new Set(played.touches.map(t => t.part))].sort();
    const seek = event => {
      const { left, width } = canvas.getBoundingClientRect(), [a, b] = this.sides(width);
      const { first, last } = clock;
      clock.go(first + (last - first) * clamp((event.clientX - left - a) / (b - a), 0, 1));
    };
    canvas.addEventListener("pointerdown", event => {
      canvas.setPointerCapture(event.pointerId);
      seek(event);
    });
    canvas.addEventListener("pointermove", event => { if (event.buttons & 1) seek(event); });
  }

  sides(width) { return [78, width - 10]; }

  draw(t) {
    const { canvas, clock, played, parts } = this;
    const { clientWidth: width, clientHeight: height } = canvas;
    if (!width) return;
    const g = sized(canvas), [a, b] = this.sides(width), { first, last } = clock;
    const x = s => a + (b - a) * (s - first) / (last - first || 1);
    const top = 18, bottom = height - 16, each = Math.min((bottom - top) / Math.max(parts.length, 1), 20);
    g.textBaseline = "middle";
    parts.forEach((part, k) => {
      const y = top + k * each;
      g.fillStyle = css("--soft");
      g.textAlign = "right";
      g.fillText(part.replace("_", " "), a - 8, y + each / 2);
      g.fillStyle = css("--hover");
      g.fillRect(a, y + 2, b - a, each - 4);
      for (const touch of played.touches.filter(touch => touch.part === part)) {
        g.fillStyle = css(side(part));
        g.globalAlpha = touch.from <= t && t <= touch.to ? 0.95 : 0.55;
        g.beginPath();
        g.roundRect(x(touch.from), y + 2, Math.max(x(touch.to) - x(touch.from) - 1, 1), each - 4, 3);
        g.fill();
        g.globalAlpha = 1;
      }
    });
    g.textAlign = "center";
    g.fillStyle = css("--soft");
    for (const [value, text] of ticks(first, last, (b - a) / 90)) {
      g.fillText(text + " s", Math.min(x(value), width - 14), height - 6);
    }
    for (const finding of this.findings) {
      if (finding.when === null || finding.mark === "ok" || finding.mark === "?") continue;
      const at = clamp(x(finding.when), a, b);
      g.fillStyle = css(finding.mark === "FAIL" ? "--bad" : "--note");
      g.beginPath();
      g.moveTo(at, 14);
      g.lineTo(at - 5, 5);
      g.lineTo(at + 5, 5);
      g.fill();
    }
    g.strokeStyle = css("--ink");
    g.lineWidth = 1.5;
    line(g, x(t), 12, x(t), height - 14);
    dotAt(g, x(t), 12, 4, css("--ink"));
  }
}
