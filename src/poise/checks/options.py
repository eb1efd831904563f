"""CheckOptions: every limit of the judge that is not a fact of the robot, with its reason."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

from poise.errors import BadInput


@dataclass(frozen=True, kw_only=True)
class CheckOptions:
    """What is accepted. Joint, speed and torque limits come from the robot itself."""

    # -- contacts --------------------------------------------------------------------
    friction: float = 0.7  # [1], rubber or plastic soles on a dry indoor floor
    slip_limit: float = 2e-3  # [m], a planted foot that moves further visibly skates
    placement_limit: float = 5e-3  # [m], further off its planned spot it is another contact
    penetration_limit: float = 1e-3  # [m], floors and soles give about this much
    gap_limit: float = 1e-3  # [m], a foot further off its surface does not carry
    tilt_limit: float = 1.0  # [deg], a flat sole that leans more stands on an edge
    swing_depth_limit: float = 1e-3  # [m], of a swinging sole below the ground
    drag_limit: float = 1e-2  # [m], way of a swinging sole while it is not off the ground
    drag_height: float = 1e-3  # [m], lower than this it is not off the ground
    edge_width: float = 5e-3  # [m], an edge or a point of a sole carries on a strip this wide

    # -- balance ---------------------------------------------------------------------
    early: float = 0.0  # [s], before and after its time a touch may carry, if the part is there
    support_limit: float = 0.01  # [weights], about 1 mm of ZMP outside; rounding of accelerations
    flight_limit: float = 0.05  # [weights], in the air nothing can push
    zmp_margin: float = 0.0  # [m], how far inside the support polygon the ZMP has to stay
    window: float = 0.02  # [s], accelerations are averaged over this long

    # -- limits of the robot, and rounding -------------------------------------------
    position_slack: float = 1e-4  # [rad], files keep about this much
    velocity_slack: float = 1e-3  # [1], of the limit
    torque_slack: float = 5e-3  # [1], of the limit
    coupling_limit: float = 1e-3  # [rad], the backlash of a gear is larger

    # -- smoothness ------------------------------------------------------------------
    step_limit: float = 1.5  # [1], times the way a joint can go between two instants
    velocity_jump: float = 0.05  # [1], of the joint's highest speed
    ramp_time: float = 0.03  # [s], an acceleration may jump to that of full speed in this time
    base_speed: float = 3.0  # [m/s], no humanoid's trunk is faster
    base_turn: float = 15.0  # [rad/s], nor turns faster
    base_velocity_jump: float = 0.1  # [m/s]; the same number for its turning [rad/s] times three
    base_acceleration_jump: float = 30.0  # [m/s^2], three times what landing from a hop asks
    agreement: float = 0.02  # [rad/s], stored against differentiated velocity; half as many m/s

    # -- bodies ----------------------------------------------------------------------
    collision_distance: float = 0.0  # [m], links may come this close
    gross_misplacement: float = 0.03  # [m], feet this far off are no matter of accuracy

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            if not value >= 0.0:
                raise BadInput("check options", item.name, f"{value}", "a number of at least zero")
        if self.friction == 0.0:
            raise BadInput("check options", "friction", "0", "a positive number")

    @classmethod
    def recorded(cls) -> CheckOptions:
        """For motions recorded in a simulator or on a robot, not planned.

        Soft ground gives way under the feet, and impacts show in every derivative.
        """
        return replace(
            cls(),
            slip_limit=0.01,
            placement_limit=0.05,
            penetration_limit=4e-3,
            gap_limit=5e-3,
            tilt_limit=3.0,
            swing_depth_limit=4e-3,
            early=0.2,
            support_limit=0.25,
            flight_limit=0.25,
            window=0.06,
            coupling_limit=0.02,
            velocity_jump=0.25,
            base_velocity_jump=0.5,
            ramp_time=0.005,
            base_acceleration_jump=200.0,
            agreement=0.3,
        )
