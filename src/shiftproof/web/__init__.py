"""How has accuracy changed over time? Pages of all monitors of a store, live, with acknowledgements and labels.

Only `shiftproof monitor serve` imports this package: it needs FastAPI and uvicorn, the extra `serve`.
"""

from shiftproof.web._app import make_app as make_app
from shiftproof.web._app import make_site as make_site
from shiftproof.web._serve import serve as serve
from shiftproof.web._settings import TOKEN_VARIABLE as TOKEN_VARIABLE
from shiftproof.web._settings import ServeSettings as ServeSettings
from shiftproof.web._settings import read_token as read_token
from shiftproof.web._site import Site as Site
