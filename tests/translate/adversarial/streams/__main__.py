"""Print, write, record or compare programs of streams."""

import sys

from tests.translate.adversarial.fields import main
from tests.translate.adversarial.streams import FIELD

sys.exit(min(main(FIELD), 1))
