import time

import numpy as np
import pinocchio as pin
import pytest
import viser
from hypothesis import given, settings
from hypothesis import strategies as st
from viser._messages import SetOrientationMessage, SetPositionMessage

from poise.robot import Robot, load_robot
from poise.viewer.scene import UNSEEN, RobotScene, turn
from poise.viewer.server import Served, open_server


@pytest.fixture(scope="module")
def server():
    with Served(open_server("127.0.0.1", 0, "test"), "127.0.0.1") as served:
        yield served.server


def sent(server: viser.ViserServer, kind: type) -> dict[str, object]:
    """The last message of a kind for each node, as a browser that comes now would get it."""
    buffer = server._websock_server.get_message_buffer()
    return {m.name: m for m in buffer.message_from_id.values() if isinstance(m, kind)}


def drawn_at(server: viser.ViserServer, robot: Robot, root: str) -> list[pin.SE3]:
    """Poses of the joints in the world as the browser works them out."""
    turns, places = sent(server, SetOrientationMessage), sent(server, SetPositionMessage)
    poses, paths = [pin.SE3.Identity()], [root]
    for joint in range(1, robot.model.njoints):
        parent = robot.model.parents[joint]
        paths.append(f"{paths[parent]}/{robot.model.names[joint]}")
        w, x, y, z = turns[paths[joint]].wxyz
        at = places[paths[joint]].position if paths[joint] in places else (0.0, 0.0, 0.0)
        poses.append(poses[parent] * pin.SE3(pin.Quaternion(w, x, y, z).matrix(), np.array(at)))
    return poses


NAO = load_robot("nao")


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**31))
def test_every_joint_is_drawn_where_kinematics_puts_it(server, seed):
    scene = _shown(server)
    pin.seed(seed)
    q = pin.randomConfiguration(
        NAO.model, np.r_[-np.ones(7), NAO.lower], np.r_[np.ones(7), NAO.upper]
    )
    # from elsewhere in every joint: what moves too little to be seen is not sent
    scene.update(pin.integrate(NAO.model, q, np.full(NAO.nv, 0.3)))
    scene.update(q)
    expected = NAO.at(q).data.oMi
    for joint, T in enumerate(drawn_at(server, NAO, "/robot")):
        assert np.allclose(T.homogeneous, expected[joint].homogeneous, atol=1e-5)


def _shown(server: viser.ViserServer) -> RobotScene:
    if not hasattr(server, "shown_robot"):
        server.shown_robot = RobotScene(server, NAO)
    return server.shown_robot


def test_what_nobody_sees_is_sent_when_it_has_added_up(server):
    scene = _shown(server)
    knee = NAO.model.getJointId("LKneePitch")
    [path] = [node.name for node in scene._nodes if node.name.endswith("LKneePitch")]
    q = np.array(NAO.half_sitting)
    scene.update(q)
    before = sent(server, SetOrientationMessage)[path]
    for _ in range(3):
        q[NAO.model.joints[knee].idx_q] += 0.5 * UNSEEN
        scene.update(q)
        if sent(server, SetOrientationMessage)[path] is not before:
            pytest.fail("half of a twentieth of a pixel was sent")
    for _ in range(5):
        q[NAO.model.joints[knee].idx_q] += 0.5 * UNSEEN
        scene.update(q)
    assert sent(server, SetOrientationMessage)[path] is not before


def test_turning_a_node_sends_what_the_slow_setter_sends(server):
    node = server.scene.add_frame("/turned")
    node.wxyz = (0.6, 0.8, 0.0, 0.0)
    slow = sent(server, SetOrientationMessage)["/turned"]
    turn(node, (0.6, 0.8, 0.0, 0.0))
    fast = sent(server, SetOrientationMessage)["/turned"]
    assert fast is not slow
    assert fast == slow


def test_a_new_posture_costs_less_than_two_milliseconds(server):
    robot = load_robot("g1")
    scene = RobotScene(server, robot, "/g1")
    postures = [robot.half_sitting + 0.01 * np.sin(k + np.arange(robot.nq)) for k in range(20)]
    costs = []
    for _ in range(10):
        start = time.thread_time()  # what this thread worked, however busy the machine is
        for q in postures:
            scene.update(q)
        costs.append((time.thread_time() - start) / len(postures))
    scene.remove()
    assert min(costs) < 2e-3


def test_a_ghost_is_transparent_and_of_one_colour(server):
    RobotScene(server, NAO, "/ghost", ghost=(10, 20, 30))
    shapes = [
        server.scene.get_handle_by_name(name)
        for name in list(server.scene._handle_from_node_name)
        if name.startswith("/ghost/") and "/shape" in name
    ]
    assert len(shapes) > 20
    assert {shape.color for shape in shapes} == {(10, 20, 30)}
    assert all(shape.opacity < 1.0 and not shape.cast_shadow for shape in shapes)


def test_one_can_look_through_a_robot_and_back(server):
    scene = RobotScene(server, NAO, "/glass")
    before = [shape.opacity for shape, _ in scene._shapes]
    scene.see_through(0.4)
    assert all(shape.opacity <= 0.4 for shape, _ in scene._shapes)
    scene.see_through(None)
    assert [shape.opacity for shape, _ in scene._shapes] == before
    scene.remove()
    assert server.scene.get_handle_by_name("/glass") is None
