// Small vectors, quaternions (xyzw) and 4x4 matrices (columns first).

const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const times = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0]];
const norm = a => Math.hypot(a[0], a[1], a[2]);
const unit = a => times(a, 1 / (norm(a) || 1));
const clamp = (x, low, high) => Math.min(Math.max(x, low), high);

function quatTimes(a, b) {
  return [
    a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
    a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
    a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
    a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
  ];
}

function quatTurn(q, v) {
  const t = times(cross(q, v), 2);
  return add(add(v, times(t, q[3])), cross(q, t));
}

// A pose is {p, q}: position and orientation.
const poseTimes = (a, b) => ({ p: add(a.p, quatTurn(a.q, b.p)), q: quatTimes(a.q, b.q) });

function poseMatrix({ p, q }, scale = 1) {
  const [x, y, z, w] = q, s = scale;
  return [
    s * (1 - 2 * (y * y + z * z)), s * 2 * (x * y + z * w), s * 2 * (x * z - y * w), 0,
    s * 2 * (x * y - z * w), s * (1 - 2 * (x * x + z * z)), s * 2 * (y * z + x * w), 0,
    s * 2 * (x * z + y * w), s * 2 * (y * z - x * w), s * (1 - 2 * (x * x + y * y)), 0,
    p[0], p[1], p[2], 1,
  ];
}

function matTimes(a, b) {
  const out = new Array(16);
  for (let c = 0; c < 4; c++) {
    for (let r = 0; r < 4; r++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[4 * k + r] * b[4 * c + k];
      out[4 * c + r] = sum;
    }
  }
  return out;
}

function perspective(height, aspect, near, far) {
  const f = 1 / Math.tan(height / 2);
  return [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0,
    2 * far * near / (near - far), 0];
}

function lookAt(eye, target, up) {
  const back = unit(sub(eye, target)), side = unit(cross(up, back)), over = cross(back, side);
  return [side[0], over[0], back[0], 0, side[1], over[1], back[1], 0, side[2], over[2], back[2], 0,
    -dot(side, eye), -dot(over, eye), -dot(back, eye), 1];
}

// The matrix that puts a unit shape along z between two points, with a radius.
function alongMatrix(from, to, radius) {
  const axis = sub(to, from), z = unit(axis);
  const x = unit(cross(Math.abs(z[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0], z)), y = cross(z, x);
  return [x[0] * radius, x[1] * radius, x[2] * radius, 0, y[0] * radius, y[1] * radius,
    y[2] * radius, 0, axis[0], axis[1], axis[2], 0, from[0], from[1], from[2], 1];
}

function colour(name) {
  const text = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  return [1, 3, 5].map(k => parseInt(text.slice(k, k + 2), 16) / 255);
}

function bytes(base64) {
  const text = atob(base64), out = new Uint8Array(text.length);
  for (let k = 0; k < text.length; k++) out[k] = text.charCodeAt(k);
  return out.buffer;
}

// A packed array becomes {data, rows, width}.
function unpack(packed) {
  const data = new Float32Array(bytes(packed.f32));
  return { data, rows: packed.n[0], width: packed.n.length > 1 ? packed.n[1] : 1 };
}
