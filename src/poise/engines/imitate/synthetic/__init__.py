"""A synthetic person whose truth is known: joints, events, centre of mass, angles."""

from poise.engines.imitate.synthetic.capture import captured as captured
from poise.engines.imitate.synthetic.capture import exchanged as exchanged
from poise.engines.imitate.synthetic.capture import with_gaps as with_gaps
from poise.engines.imitate.synthetic.capture import with_noise as with_noise
from poise.engines.imitate.synthetic.gait import Gait as Gait
from poise.engines.imitate.synthetic.person import Person as Person
from poise.engines.imitate.synthetic.truth import Truth as Truth
from poise.engines.imitate.synthetic.truth import standing as standing
from poise.engines.imitate.synthetic.truth import swinging as swinging
from poise.engines.imitate.synthetic.truth import walking as walking
