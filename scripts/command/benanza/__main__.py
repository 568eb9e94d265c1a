"""python -m benanza"""
import sys

from benanza.command import main

sys.exit(main())
