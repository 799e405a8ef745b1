"""The application: all pages behind one gate."""

from __future__ import annotations

from fastapi import FastAPI

from shiftproof._version import __version__
from shiftproof.monitoring import StoreReader
from shiftproof.web._gate import App, Gate
from shiftproof.web._live import live
from shiftproof.web._login import login
from shiftproof.web._pages import changes, pages
from shiftproof.web._probes import probes
from shiftproof.web._respond import add_errors
from shiftproof.web._settings import ServeSettings
from shiftproof.web._site import Site
from shiftproof.web._tokens import Tokens


def make_site(settings: ServeSettings) -> Site:
    """Open the store of a dashboard.

    Raises
    ------
    StoreError
        If the store does not exist.
    """
    return Site(settings=settings, source=StoreReader(settings.store), tokens=Tokens(settings.token))


def make_app(site: Site) -> App:
    """Return the ASGI application of a dashboard."""
    app = FastAPI(
        title="shiftproof",
        version=__version__,
        description="Monitors for classifiers: how accurate are they on data that nobody has labelled?",
        # The pages that FastAPI has for its schema load scripts from other servers.
        docs_url=None,
        redoc_url=None,
        servers=[{"url": site.settings.root_path or "/"}],
        # The framework would redirect to an address without the prefix of a proxy.
        redirect_slashes=False,
    )
    for router in (pages(site), changes(site), live(site), probes(site), login(site)):
        app.include_router(router)
    add_errors(app, site)
    return Gate(app, site.settings, site.tokens)
