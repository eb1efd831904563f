// The robot in 3D: WebGL 2 by hand, because a report has to open without a network.

const VERTEX = `#version 300 es
in vec3 point; in vec3 normal;
uniform mat4 view; uniform mat4 model;
out vec3 n; out vec3 w;
void main() {
  vec4 world = model * vec4(point, 1.0);
  w = world.xyz; n = mat3(model) * normal;
  gl_Position = view * world;
}`;

const FRAGMENT = `#version 300 es
precision highp float;
in vec3 n; in vec3 w;
uniform vec3 paint; uniform float alpha; uniform float lit; uniform vec3 eye;
out vec4 colour;
void main() {
  vec3 m = normalize(n), v = normalize(eye - w);
  if (dot(m, v) < 0.0) m = -m;
  vec3 key = normalize(vec3(0.45, 0.35, 0.85)), fill = normalize(vec3(-0.6, -0.5, 0.35));
  float light = 0.46 + 0.20 * m.z + 0.44 * max(dot(m, key), 0.0) + 0.12 * max(dot(m, fill), 0.0);
  float shine = pow(max(dot(m, normalize(key + v)), 0.0), 40.0) * 0.16;
  float rim = pow(1.0 - max(dot(m, v), 0.0), 3.0) * 0.10;
  vec3 shaded = paint * light + shine + rim;
  colour = vec4(mix(paint, shaded, lit), alpha);
}`;

const FLOOR = `#version 300 es
precision highp float;
in vec3 n; in vec3 w;
uniform vec3 ground; uniform vec3 line; uniform vec3 centre; uniform float reach;
uniform float cell; uniform vec3 horizon;
out vec4 colour;
float lines(vec2 p, float size) {
  vec2 q = p / size, d = abs(fract(q - 0.5) - 0.5) / fwidth(q);
  return 1.0 - min(min(d.x, d.y), 1.0);
}
void main() {
  float far = length(w.xy - centre.xy) / reach;
  float fade = 1.0 - smoothstep(0.25, 1.0, far);
  float grid = max(0.45 * lines(w.xy, cell), 0.9 * lines(w.xy, cell * 5.0)) * fade;
  colour = vec4(mix(mix(horizon, ground, fade), line, grid * 0.75), 1.0);
}`;

class Scene {
  constructor(canvas, played) {
    const gl = canvas.getContext("webgl2", { antialias: true, stencil: true, alpha: true });
    if (!gl) throw new Error("This browser shows no WebGL 2.");
    Object.assign(this, { canvas, gl, played, size: played.height });
    this.body = this.program(VERTEX, FRAGMENT);
    this.ground = this.program(VERTEX, FLOOR);
    this.surfaces = played.surfaces.map(s => this.surface(s));
    this.ball = this.upload(...turned(16, 12, k => {
      const b = Math.PI * (k / 12 - 0.5);
      return [Math.cos(b), Math.sin(b)];
    }));
    this.rod = this.upload(...turned(12, 3, k => [[0, 0], [1, 0], [1, 1], [0, 1]][k]));
    this.tip = this.upload(...turned(16, 2, k => [[0, 0], [1, 0], [0, 1]][k]));
    this.plane = this.upload([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0], [0, 1, 2, 0, 2, 3]);
    this.fan = { array: gl.createVertexArray(), buffer: gl.createBuffer() };
    gl.bindVertexArray(this.fan.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.fan.buffer);
    this.attribute(0, 12, 0);
    gl.vertexAttrib3f(1, 0, 0, 1);
    this.target = [0, 0, 0.5 * this.size];
    this.look("corner");
    this.hands();
  }

  program(vertex, fragment) {
    const gl = this.gl, program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) {
        throw new Error(gl.getShaderInfoLog(shader));
      }
      gl.attachShader(program, shader);
    }
    gl.bindAttribLocation(program, 0, "point");
    gl.bindAttribLocation(program, 1, "normal");
    gl.linkProgram(program);
    const places = {};
    const count = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS);
    for (let k = 0; k < count; k++) {
      const { name } = gl.getActiveUniform(program, k);
      places[name] = gl.getUniformLocation(program, name);
    }
    return { program, places };
  }

  attribute(place, stride, offset) {
    this.gl.enableVertexAttribArray(place);
    this.gl.vertexAttribPointer(place, 3, this.gl.FLOAT, false, stride, offset);
  }

  // Corners of triangles with a normal each, smooth where faces nearly agree.
  upload(points, faces) {
    const gl = this.gl, corners = creased(points, faces);
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, corners, gl.STATIC_DRAW);
    this.attribute(0, 24, 0);
    this.attribute(1, 24, 12);
    return { array, count: corners.length / 6 };
  }

  surface(packed) {
    const steps = new Uint16Array(bytes(packed.u16)), points = new Float32Array(steps.length);
    for (let k = 0; k < steps.length; k++) points[k] = packed.low[k % 3] + packed.step * steps[k];
    const raw = bytes(packed.faces);
    const faces = packed.wide ? new Uint32Array(raw) : new Uint16Array(raw);
    return { joint: packed.joint, paint: packed.rgb.map(c => c / 255), ...this.upload(points, faces) };
  }

  // -- camera ----------------------------------------------------------------------

  look(from) {
    const [turn, lift] = { front: [0, 0.1], left: [Math.PI / 2, 0.1], above: [Math.PI, 1.5],
      corner: [0.7, 0.3] }[from];
    Object.assign(this, { turn, lift, distance: 2.3 * this.size });
  }

  get eye() {
    const c = Math.cos(this.lift);
    return add(this.target, times(
      [c * Math.cos(this.turn), c * Math.sin(this.turn), Math.sin(this.lift)], this.distance));
  }

  // Mouse, pen and fingers: one turns, two (or shift, or the right button) move and zoom.
  hands() {
    const held = new Map();
    const canvas = this.canvas;
    canvas.addEventListener("contextmenu", event => event.preventDefault());
    canvas.addEventListener("pointerdown", event => {
      canvas.setPointerCapture(event.pointerId);
      held.set(event.pointerId, [event.clientX, event.clientY]);
    });
    for (const end of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(end, event => held.delete(event.pointerId));
    }
    canvas.addEventListener("pointermove", event => {
      const before = held.get(event.pointerId);
      if (!before) return;
      const now = [event.clientX, event.clientY], dx = now[0] - before[0], dy = now[1] - before[1];
      if (held.size > 1) {
        const other = [...held].find(([id]) => id !== event.pointerId)[1];
        const gap = p => Math.hypot(p[0] - other[0], p[1] - other[1]);
        this.zoom(gap(before) / Math.max(gap(now), 1));
        this.move(0.5 * dx, 0.5 * dy);
      } else if (event.shiftKey || event.buttons & 2) this.move(dx, dy);
      else {
        this.turn -= 0.008 * dx;
        this.lift = clamp(this.lift + 0.008 * dy, -0.2, 1.55);
      }
      held.set(event.pointerId, now);
      this.changed?.();
    });
    canvas.addEventListener("wheel", event => {
      event.preventDefault();
      this.zoom(Math.exp(0.0012 * event.deltaY));
      this.changed?.();
    }, { passive: false });
  }

  zoom(factor) {
    this.distance = clamp(this.distance * factor, 0.25 * this.size, 25 * this.size);
  }

  move(dx, dy) {
    const back = unit(sub(this.eye, this.target)), side = unit(cross([0, 0, 1], back));
    const scale = this.distance / this.canvas.clientHeight;
    const way = add(times(side, -dx * scale), times(cross(back, side), dy * scale));
    this.target = add(this.target, way);
    this.moved?.();
  }

  // -- drawing ---------------------------------------------------------------------

  // what: {poses, ghost, marks: [{kind, ...}]} of one instant.
  draw(what) {
    const { gl, canvas, size } = this, ratio = Math.min(devicePixelRatio || 1, 2);
    const width = Math.round(canvas.clientWidth * ratio);
    const height = Math.round(canvas.clientHeight * ratio);
    if (!width || !height) return;
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    gl.viewport(0, 0, width, height);
    const sky = colour("--sky2");
    gl.clearColor(...sky, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    const eye = this.eye;
    const lens = perspective(0.62, width / height, 0.02 * size, 120 * size);
    this.view = matTimes(lens, lookAt(eye, this.target, [0, 0, 1]));

    this.floor(sky);
    gl.useProgram(this.body.program);
    const at = this.body.places;
    gl.uniformMatrix4fv(at.view, false, this.view);
    gl.uniform3fv(at.eye, eye);
    this.shadow(what.poses);
    for (const mark of what.marks.filter(m => m.under)) this.mark(mark);
    this.robot(what.poses, null, 1);
    if (what.ghost) this.ghost(what.ghost);
    for (const mark of what.marks.filter(m => !m.under)) this.mark(mark);
  }

  floor(sky) {
    const { gl, size } = this, at = this.ground.places, reach = 9 * size;
    gl.useProgram(this.ground.program);
    gl.uniformMatrix4fv(at.view, false, this.view);
    const [x, y] = this.target;
    gl.uniformMatrix4fv(at.model, false, [reach, 0, 0, 0, 0, reach, 0, 0, 0, 0, 1, 0, x, y,
      -0.001 * size, 1]);
    gl.uniform3fv(at.ground, colour("--floor"));
    gl.uniform3fv(at.line, colour("--grid"));
    gl.uniform3fv(at.horizon, sky);
    gl.uniform3f(at.centre, x, y, 0);
    gl.uniform1f(at.reach, reach);
    gl.uniform1f(at.cell, size > 0.8 ? 0.2 : 0.1);
    gl.bindVertexArray(this.plane.array);
    gl.drawArrays(gl.TRIANGLES, 0, this.plane.count);
  }

  // The robot pressed flat on the floor along the light; every pixel darkens once.
  shadow(poses) {
    const gl = this.gl, [lx, ly] = [0.35, 0.3];
    const flat = [1, 0, 0, 0, 0, 1, 0, 0, -lx, -ly, 0, 0, 0, 0, 0.0005 * this.size, 1];
    gl.enable(gl.STENCIL_TEST);
    gl.stencilFunc(gl.EQUAL, 0, 255);
    gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
    gl.depthMask(false);
    this.blend(true);
    this.robot(poses, [0.05, 0.08, 0.12], 0.2, flat);
    this.blend(false);
    gl.depthMask(true);
    gl.disable(gl.STENCIL_TEST);
  }

  // Depth first, then colour: a body that shines through but not through itself.
  ghost(poses) {
    const gl = this.gl, paint = colour("--accent");
    gl.enable(gl.POLYGON_OFFSET_FILL);  // where both are in one place, the robot wins
    gl.polygonOffset(1, 4);
    gl.colorMask(false, false, false, false);
    this.robot(poses, paint, 1);
    gl.colorMask(true, true, true, true);
    gl.depthFunc(gl.LEQUAL);
    this.blend(true);
    this.robot(poses, paint, 0.28, null, 1);
    this.blend(false);
    gl.depthFunc(gl.LESS);
    gl.disable(gl.POLYGON_OFFSET_FILL);
  }

  blend(on) {
    const gl = this.gl;
    if (!on) return gl.disable(gl.BLEND);
    gl.enable(gl.BLEND);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  robot(poses, paint, alpha, flat = null, lit = null) {
    const gl = this.gl, at = this.body.places;
    gl.uniform1f(at.alpha, alpha);
    gl.uniform1f(at.lit, lit ?? (flat ? 0 : 1));
    for (const surface of this.surfaces) {
      const model = poseMatrix(poses[surface.joint]);
      gl.uniformMatrix4fv(at.model, false, flat ? matTimes(flat, model) : model);
      gl.uniform3fv(at.paint, paint || surface.paint);
      gl.bindVertexArray(surface.array);
      gl.drawArrays(gl.TRIANGLES, 0, surface.count);
    }
  }

  one(mesh, model, paint, alpha = 1, lit = 1) {
    const gl = this.gl, at = this.body.places;
    gl.uniform1f(at.alpha, alpha);
    gl.uniform1f(at.lit, lit);
    gl.uniform3fv(at.paint, paint);
    gl.uniformMatrix4fv(at.model, false, model);
    gl.bindVertexArray(mesh.array);
    gl.drawArrays(gl.TRIANGLES, 0, mesh.count);
  }

  mark(mark) {
    const gl = this.gl, { kind, paint } = mark;
    if (mark.through) gl.disable(gl.DEPTH_TEST);
    if (kind === "ball") {
      this.one(this.ball, poseMatrix({ p: mark.at, q: [0, 0, 0, 1] }, mark.radius), paint);
    } else if (kind === "rod") {
      this.one(this.rod, alongMatrix(mark.from, mark.to, mark.radius), paint, 1, mark.lit ?? 1);
    } else if (kind === "arrow") {
      const way = sub(mark.to, mark.from), length = norm(way);
      if (length > 1e-6) {
        const head = Math.min(5 * mark.radius, 0.5 * length);
        const neck = add(mark.from, times(way, 1 - head / length));
        this.one(this.rod, alongMatrix(mark.from, neck, mark.radius), paint);
        this.one(this.tip, alongMatrix(neck, mark.to, 2.4 * mark.radius), paint);
      }
    } else if (kind === "area") {
      this.blend(true);
      gl.depthMask(false);
      gl.bindVertexArray(this.fan.array);
      gl.bindBuffer(gl.ARRAY_BUFFER, this.fan.buffer);
      gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(mark.points.flat()), gl.DYNAMIC_DRAW);
      const at = this.body.places;
      gl.uniform1f(at.alpha, mark.alpha);
      gl.uniform1f(at.lit, 0);
      gl.uniform3fv(at.paint, paint);
      gl.uniformMatrix4fv(at.model, false, poseMatrix({ p: [0, 0, 0], q: [0, 0, 0, 1] }));
      gl.drawArrays(gl.TRIANGLE_FAN, 0, mark.points.length);
      gl.depthMask(true);
      this.blend(false);
    }
    if (mark.through) gl.enable(gl.DEPTH_TEST);
  }
}

// A profile of (radius, height) turned about z: points and faces.
function turned(round, rings, profile) {
  const points = [], faces = [];
  for (let k = 0; k <= rings; k++) {
    const [r, z] = profile(k);
    for (let j = 0; j < round; j++) {
      const a = 2 * Math.PI * j / round;
      points.push(r * Math.cos(a), r * Math.sin(a), z);
      if (k < rings) {
        const p = k * round + j, q = k * round + (j + 1) % round;
        faces.push(p, q, q + round, p, q + round, p + round);
      }
    }
  }
  return [points, faces];
}

// Every corner of every face with its normal: the mean of the faces around the point that turn
// less than about 40 degrees from its own.
function creased(points, faces) {
  const count = faces.length / 3, normals = new Float32Array(3 * count);
  const around = new Map(), out = new Float32Array(6 * faces.length);
  for (let f = 0; f < count; f++) {
    const [a, b, c] = [0, 1, 2].map(k => {
      const i = 3 * faces[3 * f + k];
      return [points[i], points[i + 1], points[i + 2]];
    });
    normals.set(cross(sub(b, a), sub(c, a)), 3 * f);  // as long as twice the area
    for (let k = 0; k < 3; k++) {
      const i = faces[3 * f + k];
      if (!around.has(i)) around.set(i, []);
      around.get(i).push(f);
    }
  }
  const of = f => [normals[3 * f], normals[3 * f + 1], normals[3 * f + 2]];
  for (let f = 0; f < count; f++) {
    const own = unit(of(f));
    for (let k = 0; k < 3; k++) {
      const i = faces[3 * f + k];
      let sum = [0, 0, 0];
      for (const g of around.get(i)) {
        const other = of(g);
        if (dot(unit(other), own) > 0.77) sum = add(sum, other);
      }
      const n = norm(sum) > 0 ? unit(sum) : own;
      out.set([points[3 * i], points[3 * i + 1], points[3 * i + 2], ...n], 6 * (3 * f + k));
    }
  }
  return out;
}

// Poses of all joints of the tree from one configuration; joint 0 is the world.
function jointPoses(tree, q) {
  const poses = [{ p: [0, 0, 0], q: [0, 0, 0, 1] }];
  tree.forEach((joint, k) => {
    if (k === 0) {
      poses.push({ p: q.slice(0, 3), q: q.slice(3, 7) });
      return;
    }
    const x = q[6 + k], placed = poseTimes(poses[joint.parent], { p: joint.at, q: joint.turn });
    const s = Math.sin(x / 2);
    const motion = joint.slides ? { p: times(joint.axis, x), q: [0, 0, 0, 1] }
      : { p: [0, 0, 0], q: [...times(joint.axis, s), Math.cos(x / 2)] };
    poses.push(poseTimes(placed, motion));
  });
  return poses;
}
