"""``python -m tradewind``: the program where its script is not on PATH."""

from tradewind.cli.start import main

main()
