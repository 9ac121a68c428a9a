"""Print, write, record or compare programs of algorithms."""

import sys

from tests.translate.adversarial.algorithms import FIELD
from tests.translate.adversarial.fields import main

sys.exit(min(main(FIELD), 1))
