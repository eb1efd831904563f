// The page: one clock that everything follows.

const values = JSON.parse(document.getElementById("values").textContent);
const byId = id => document.getElementById(id);

const ICONS = {
  play: "M4 2.5v11l9-5.5z", pause: "M4 2.5h3v11H4zm5 0h3v11H9z",
  back: "M3 2.5h2v11H3zm10 0v11L6 8z", ahead: "M11 2.5h2v11h-2zm-8 0v11l7-5.5z",
  theme: "M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1zm0 2v10A5 5 0 0 1 8 3z",
};

function icon(button, name) {
  button.innerHTML = `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="${ICONS[name]}"/></svg>`;
}

class Clock {
  constructor(times) {
    Object.assign(this, { times, first: times[0], last: times[times.length - 1], t: times[0] });
    Object.assign(this, { playing: false, speed: 1, watchers: [] });
  }

  // Between which instants a time lies, and how far.
  place(t) {
    let low = 0, high = this.times.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.times[middle] <= t) low = middle; else high = middle;
    }
    const gap = this.times[high] - this.times[low];
    return [low, high, gap > 0 ? clamp((t - this.times[low]) / gap, 0, 1) : 0];
  }

  value(array, t) {
    const [a, b, s] = this.place(t);
    return s === 0 ? array[a] : s === 1 ? array[b] : (1 - s) * array[a] + s * array[b];
  }

  row({ data, width }, t) {
    const [a, b, s] = this.place(t), out = new Array(width);
    for (let k = 0; k < width; k++) {
      const [x, y] = [data[a * width + k], data[b * width + k]];
      out[k] = s === 0 ? x : s === 1 ? y : (1 - s) * x + s * y;
    }
    return out;
  }

  // A configuration: the quaternion goes the short way round and stays of unit length.
  configuration(q, t) {
    const [a, b, s] = this.place(t), row = this.row(q, t), w = q.width;
    let same = 0, length = 0;
    for (let k = 3; k < 7; k++) same += q.data[a * w + k] * q.data[b * w + k];
    for (let k = 3; k < 7; k++) {
      row[k] = (1 - s) * q.data[a * w + k] + s * Math.sign(same || 1) * q.data[b * w + k];
      length += row[k] ** 2;
    }
    for (let k = 3; k < 7; k++) row[k] /= Math.sqrt(length) || 1;
    return row;
  }

  go(t) {
    this.t = clamp(t, this.first, this.last);
    this.watchers.forEach(watch => watch());
  }

  step(count) {
    const [a, , s] = this.place(this.t), here = s > 0.5 ? a + 1 : a;
    this.go(this.times[clamp(here + count, 0, this.times.length - 1)]);
  }
}

function heading() {
  byId("robot").textContent = values.robot;
  byId("facts").textContent = values.facts.join("  ·  ");
  const verdict = byId("verdict");
  verdict.textContent = values.verdict;
  verdict.title = values.verdict;
  verdict.className = values.ok ? "good" : "bad";
}

function table(clock) {
  const body = byId("findings"), order = { FAIL: 0, "?": 1, note: 2, ok: 3 };
  const sorted = values.findings.map((f, k) => [order[f.mark], k, f]).sort(
    (a, b) => a[0] - b[0] || a[1] - b[1]);
  const rows = sorted.map(([, , finding]) => {
    const row = document.createElement("tr");
    row.className = finding.mark === "?" ? "unknown" : finding.mark;
    row.dataset.question = finding.question;
    const cells = [finding.mark, finding.question, finding.worst, finding.limit, finding.where,
      finding.when === null ? "" : finding.when.toFixed(3) + " s"];
    cells.forEach((text, k) => {
      const cell = row.insertCell();
      cell.className = ["", "q", "n", "n", "w", "n"][k];
      if (k === 0) {
        const mark = document.createElement("span");
        mark.className = `mark ${row.className}`;
        mark.textContent = text === "FAIL" ? "fail" : text;
        cell.append(mark);
      } else cell.textContent = text;
      if (k === 2 && text && finding.unit !== "1") {
        const small = document.createElement("small");
        small.textContent = " " + finding.unit;
        cell.append(small);
      }
    });
    if (finding.detail && ["FAIL", "note"].includes(finding.mark)) {
      const more = document.createElement("tr"), cell = more.insertCell();
      more.className = "more";
      cell.colSpan = 6;
      cell.textContent = finding.detail;
      row.more = more;
    } else row.title = finding.detail;
    if (clock && finding.when !== null) {
      row.classList.add("go");
      row.tabIndex = 0;
      row.title = row.title || "Go to this instant";
      const there = () => {
        clock.playing = false;
        for (const other of rows) {
          other.classList.toggle("here", other === row);
          other.more?.classList.toggle("here", other === row);
        }
        clock.go(finding.when);
        clock.chosen?.(finding);
      };
      row.addEventListener("click", there);
      row.more?.addEventListener("click", there);
      row.addEventListener("keydown", event => { if (event.key === "Enter") there(); });
    }
    return row;
  });
  body.replaceChildren(...rows.flatMap(row => row.more ? [row, row.more] : [row]));
  byId("only").addEventListener("change", event => {
    for (const row of rows) row.hidden = event.target.checked && row.classList.contains("ok");
  });
}

function theme(redraw) {
  const root = document.documentElement, dark = matchMedia("(prefers-color-scheme: dark)");
  root.dataset.theme = dark.matches ? "dark" : "light";
  const flip = () => { root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark"; redraw(); };
  icon(byId("theme"), "theme");
  byId("theme").addEventListener("click", flip);
  dark.addEventListener("change", event => {
    root.dataset.theme = event.matches ? "dark" : "light";
    redraw();
  });
  byId("help").addEventListener("click", () => byId("keys").showModal());
}

// A small button that is on or off.
function chip(parent, name, on, paint, changed) {
  const button = document.createElement("button");
  if (paint) {
    const spot = document.createElement("i");
    spot.style.background = `var(${paint})`;
    button.append(spot);
  }
  button.append(name);
  button.setAttribute("aria-pressed", on);
  button.addEventListener("click", () => {
    const now = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", now);
    changed(now);
  });
  parent.append(button);
  return button;
}

// What is drawn beside the robot at one instant.
function marksAt(played, clock, layers) {
  const t = clock.t, size = played.height, marks = [], thin = 0.0022 * size;
  const ring = (points, paint, radius) => points.forEach((p, k) => marks.push(
    { kind: "rod", from: p, to: points[(k + 1) % points.length], radius, paint, lit: 0, under: true }));
  if (layers.footprints) {
    for (const touch of played.touches) {
      const now = touch.from <= t && t <= touch.to, paint = colour(side(touch.part));
      const over = touch.points.map(p => add(p, times(touch.normal, 0.001 * size)));
      if (over.length > 2) ring(over, paint, now ? 1.3 * thin : 0.6 * thin);
      else over.forEach(at => marks.push({ kind: "ball", at, radius: 3 * thin, paint, under: true }));
    }
  }
  const support = supportAt(played.supports, t);
  if (layers.support && support) {
    const paint = colour("--accent");
    const points = support.corners.map(([x, y]) => [x, y, support.z + 0.0015 * size]);
    marks.push({ kind: "area", points, paint, alpha: 0.22, under: true });
    ring(points, paint, thin);
  }
  const com = clock.row(played.com, t), zmp = clock.row(played.zmp, t);
  if (layers.CoM) {
    const paint = colour("--third"), foot = [com[0], com[1], support ? support.z : 0];
    marks.push({ kind: "rod", from: foot, to: com, radius: 0.6 * thin, paint, through: true });
    marks.push({ kind: "ball", at: com, radius: 0.018 * size, paint, through: true });
    marks.push({ kind: "ball", at: foot, radius: 0.008 * size, paint, through: true });
  }
  if (layers.ZMP && zmp[0] === zmp[0]) {
    marks.push({ kind: "ball", at: zmp, radius: 0.013 * size, paint: colour("--fourth"), through: true });
  }
  if (layers.forces) {
    for (const [part, { force, at }] of Object.entries(played.forces)) {
      const f = clock.row(force, t), from = clock.row(at, t);
      if (norm(f) < 0.005 * played.weight) continue;
      const to = add(from, times(f, 0.45 * size / played.weight));
      marks.push({ kind: "arrow", from, to, radius: 0.006 * size, paint: colour(side(part)), through: true });
    }
  }
  return marks;
}

function unpackAll(played) {
  for (const key of ["time", "q", "com", "zmp", "margin"]) played[key] = unpack(played[key]);
  for (const part in played.soles) played.soles[part] = unpack(played.soles[part]);
  for (const part in played.forces) {
    const f = played.forces[part];
    played.forces[part] = { force: unpack(f.force), at: unpack(f.at) };
  }
  played.joints.rates = unpack(played.joints.rates);
  played.joints.torques = unpack(played.joints.torques);
  if (played.replay) played.replay.q = unpack(played.replay.q);
}

const column = ({ data, rows, width }, k) => Float32Array.from({ length: rows }, (_, i) => data[i * width + k]);

function plots(played, clock) {
  let place = byId("plots");
  const all = [new Above(place, played, clock)];
  const plot = (title, unit) => all[all.push(new Plot(place, title, unit, clock)) - 1];
  if (played.supports.length) {
    plot("ZMP margin", "mm").show([{ name: "", paint: "--fourth", values: played.margin.data }],
      [{ value: 0 }], 5);
  }
  plot("Centre of mass", "m").show(["x", "y", "z"].map((name, k) => (
    { name, paint: ["--left", "--right", "--third"][k], values: column(played.com, k) })), [], 0.01);
  plot("Foot heights", "mm").show(Object.entries(played.soles).map(([part, h]) => (
    { name: part.replace("_foot", ""), paint: side(part), values: h.data })), [], 10);
  plot("Contact forces, size", "N").show(Object.entries(played.forces).map(([part, { force }]) => ({
    name: part.replace("_foot", "").replace("_", " "), paint: side(part),
    values: Float32Array.from({ length: force.rows },
      (_, i) => Math.hypot(...force.data.subarray(3 * i, 3 * i + 3))),
  })), [], 0.1 * played.weight);
  const { names, lower, upper, fastest, strongest, rates, torques, first } = played.joints;
  place = byId("joints");
  const bar = document.createElement("label"), choose = document.createElement("select");
  bar.className = "joint";
  choose.id = "joint";
  names.forEach((name, k) => choose.add(new Option(name, k)));
  bar.append("Joint", choose);
  place.append(bar);
  const angle = plot("Angle", "rad"), rate = plot("Speed", "rad/s"), torque = plot("Motor torque", "N m");
  const both = value => value > 0 ? [{ value }, { value: -value }] : [];
  const show = j => {
    choose.value = j;
    const series = [{ name: "", paint: "--left", values: column(played.q, 7 + j) }];
    if (played.replay) {
      series.push({ name: "replayed", paint: "--fifth", dash: true, values: column(played.replay.q, 7 + j) });
    }
    const stops = [lower[j], upper[j]].filter(x => x !== null).map(value => ({ value }));
    angle.show(series, stops, 0.05);
    rate.show([{ name: "", paint: "--third", values: column(rates, j) }], both(fastest[j]), 0.1);
    torque.show([{ name: "", paint: "--right", values: column(torques, j) }], both(strongest[j]), 0.1);
    clock.go(clock.t);
  };
  choose.addEventListener("change", () => show(Number(choose.value)));
  clock.chosen = finding => {
    const j = names.findIndex(name => finding.where.split(/[ ,]+/).includes(name));
    if (j >= 0) show(j);
  };
  show(first);
  return all;
}

function start() {
  const played = values.played;
  if (!played) {
    theme(() => {});
    table(null);
    byId("footer").hidden = true;
    byId("nothing").hidden = false;
    byId("nothing").textContent = "The motion cannot be read, so there is nothing to play. "
      + "The table says why.";
    return;
  }
  unpackAll(played);
  const clock = new Clock(played.time.data);
  window.poise = { clock, values };
  table(clock);

  let scene = null;
  try {
    scene = new Scene(byId("scene"), played);
  } catch (error) {
    byId("nothing").hidden = false;
    byId("nothing").textContent = `No 3D view: ${error.message}`;
  }
  const layers = { CoM: true, ZMP: true, support: true, forces: true, footprints: true, follow: true,
    replay: true };
  let dirty = true;
  const redraw = () => { dirty = true; };
  theme(redraw);

  if (scene) {
    const paints = { CoM: "--third", ZMP: "--fourth", support: "--accent", forces: "--right",
      footprints: "--left", replay: "--accent" };
    for (const name of ["CoM", "ZMP", "support", "forces", "footprints", "replay"]) {
      if (name === "replay" && !played.replay) continue;
      chip(byId("layers"), name, true, paints[name], on => { layers[name] = on; redraw(); });
    }
    for (const from of ["front", "left", "above", "corner"]) {
      const button = document.createElement("button");
      button.textContent = from;
      button.addEventListener("click", () => { scene.look(from); redraw(); });
      byId("cameras").append(button);
    }
    layers.button = chip(byId("cameras"), "follow", true, null, on => { layers.follow = on; redraw(); });
    scene.changed = redraw;
    scene.moved = () => {
      layers.follow = false;
      layers.button.setAttribute("aria-pressed", false);
    };
  }

  const all = plots(played, clock);
  all.push(new Timeline(byId("timeline"), played, values.findings, clock));
  clock.watchers.push(redraw);
  new ResizeObserver(redraw).observe(document.body);
  new ResizeObserver(redraw).observe(byId("view"));
  transport(clock, scene, layers, redraw);

  const paint = () => {
    const q = clock.configuration(played.q, clock.t), poses = jointPoses(played.tree, q);
    byId("clock").innerHTML = `<b>${clock.t.toFixed(3)}</b> <span>/ ${clock.last.toFixed(2)} s</span>`;
    all.forEach(one => one.draw(clock.t));
    if (!scene) return;
    if (layers.follow) {
      scene.target = [q[0], q[1], 0.48 * played.height];
    }
    const shown = layers.replay && played.replay && clock.t <= played.replay.until + 1e-6;
    const ghost = shown ? jointPoses(played.tree, clock.configuration(played.replay.q, clock.t)) : null;
    scene.draw({ poses, ghost, marks: marksAt(played, clock, layers) });
  };

  let before = null;
  const tick = now => {
    if (clock.playing && before !== null) {
      const t = clock.t + clock.speed * Math.min((now - before) / 1000, 0.1);
      clock.go(t > clock.last ? clock.first : t);
    }
    before = now;
    if (dirty) {
      dirty = false;
      paint();
    }
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
}

function transport(clock, scene, layers, redraw) {
  const button = byId("play");
  const shown = () => icon(button, clock.playing ? "pause" : "play");
  const toggle = () => {
    clock.playing = !clock.playing;
    if (clock.playing && clock.t >= clock.last) clock.go(clock.first);
    shown();
  };
  clock.watchers.push(() => { if (button.dataset.on !== String(clock.playing)) { button.dataset.on = clock.playing; shown(); } });
  icon(byId("back"), "back");
  icon(byId("ahead"), "ahead");
  shown();
  button.addEventListener("click", toggle);
  const step = count => { clock.playing = false; clock.step(count); };
  byId("back").addEventListener("click", () => step(-1));
  byId("ahead").addEventListener("click", () => step(1));
  byId("speed").addEventListener("change", event => { clock.speed = Number(event.target.value); });
  const keys = {
    " ": toggle,
    ArrowLeft: event => step(event.shiftKey ? -10 : -1),
    ArrowRight: event => step(event.shiftKey ? 10 : 1),
    Home: () => clock.go(clock.first),
    End: () => clock.go(clock.last),
    "?": () => byId("keys").showModal(),
    f: () => layers.button?.click(),
  };
  ["front", "left", "above", "corner"].forEach((from, k) => {
    keys[k + 1] = () => { scene?.look(from); redraw(); };
  });
  addEventListener("keydown", event => {
    if (event.target.closest?.("select, dialog, input") || event.ctrlKey || event.metaKey) return;
    if (event.key === " " && event.target.closest?.("button") && event.target !== button) return;
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act(event);
  });
}

heading();
start();
