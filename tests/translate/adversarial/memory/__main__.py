"""Print, write, record or compare programs of memory."""

import sys

from tests.translate.adversarial.fields import main
from tests.translate.adversarial.memory import FIELD

sys.exit(min(main(FIELD), 1))
