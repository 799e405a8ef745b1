"""`python -m shiftproof` is `shiftproof`."""

from shiftproof.cli import main

main()
