"""An emulator: the network of a scenario for the packets of the machine's own kernel, in real time.

`emulate` runs a command in network, process and mount namespaces of its own. All packets between the command and the
rest of the machine pass the links, queues, losses and traces of the scenario, which are those of the simulator.
"""

from ackclock.kernel.emulate.looks import Looks
from ackclock.kernel.emulate.outside import Block, EmulateError
from ackclock.kernel.emulate.run import Emulated, emulate

__all__ = ["Block", "EmulateError", "Emulated", "Looks", "emulate"]
