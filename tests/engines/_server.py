"""A PostgreSQL server of our own: in a temporary folder, for as long as the tests run."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

# Another user runs the server where the tests run as root, which PostgreSQL refuses.
_USER = "postgres"
_PORT = "54329"
# The server is killed, but never the machine, so that nothing needs to be flushed.
_SETTINGS = f"-p {_PORT} -c listen_addresses='' -c unix_socket_directories='{{}}' -c fsync=off -c max_connections=60"


def why_no_server() -> str:
    """Say what is missing to run a server; empty if nothing is."""
    try:
        import psycopg  # noqa: F401
    except ImportError:
        return "needs psycopg; make engines installs it"
    if _programs() is None:
        return "needs a PostgreSQL server; on Debian make engines installs it for root"
    return ""


def _programs() -> Path | None:
    """Return the folder of the server's programs: on the path, or where Debian puts them."""
    on_path = shutil.which("initdb")
    newest = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    return Path(on_path).parent if on_path else newest[-1].parent if newest else None


def _in_memory() -> str | None:
    """Return a folder in memory where it is large: databases are many small files, which disks delete slowly."""
    return "/dev/shm" if Path("/dev/shm").is_dir() and shutil.disk_usage("/dev/shm").free > 8e9 else None  # noqa: S108


class PostgresServer:
    """A server that listens on a socket in its folder only.

    Everybody on the socket is believed to be who they say, but for the role "careful", who needs a password.
    """

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="shiftproof-postgres-", dir=_in_memory()))
        self._made = 0
        if os.geteuid() == 0:
            shutil.chown(self.folder, _USER)
        self._run("initdb", "--auth=trust", "--username=owner", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync")
        access = self.folder / "data" / "pg_hba.conf"
        access.write_text("local all careful scram-sha-256\nlocal all all trust\n", encoding="utf-8")
        self.start()
        self.execute("CREATE ROLE careful LOGIN PASSWORD 'open/sesame'")

    def _run(self, program: str, *arguments: str, check: bool = True) -> None:
        programs = _programs()
        assert programs is not None
        command = [str(programs / program), "-D", str(self.folder / "data"), *arguments]
        if os.geteuid() == 0:
            command = ["runuser", "-u", _USER, "--", *command]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=self.folder)  # noqa: S603
        assert done.returncode == 0 or not check, done.stdout + done.stderr

    def start(self) -> None:
        """Start the server and wait until it answers."""
        log = str(self.folder / "log")
        self._run("pg_ctl", "start", "--wait", "--log", log, "-o", _SETTINGS.format(self.folder))

    def stop(self, mode: str) -> None:
        """Stop the server; "immediate" is what a power failure does."""
        self._run("pg_ctl", "stop", "--wait", "-m", mode, check=False)

    def remove(self) -> None:
        """Stop the server and delete all that it has written."""
        self.stop("immediate")
        shutil.rmtree(self.folder)

    def url(self, database: str = "postgres", *, user: str = "owner", settings: str = "") -> str:
        """Return the URL of a database."""
        return f"postgresql://{user}@/{database}?host={self.folder}&port={_PORT}{settings}"

    def execute(self, statement: str, database: str = "postgres") -> list[tuple[Any, ...]]:
        """Run a statement as the owner of the server; return its rows."""
        import psycopg

        with psycopg.connect(self.url(database), autocommit=True) as connection:
            cursor = connection.execute(statement)  # type: ignore[call-overload, unused-ignore]
            return cursor.fetchall() if cursor.description else []

    def new(self, template: str = "template1") -> str:
        """Create a database; return its name."""
        self._made += 1
        name = f"store{self._made}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        return name
