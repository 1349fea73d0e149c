"""The library as an HTTP API with an OpenAPI description: POST /find with a JSON object, and so
on."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import Any, get_type_hints

from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.security import HTTPBearer
from pydantic import BaseModel, ConfigDict, create_model
from starlette.exceptions import HTTPException

from scholar_cli.server.access import RequireToken
from scholar_cli.server.bounds import BoundedRequests, OutOfTime, Workers
from scholar_cli.server.journeys import Incomplete, Journeys
from scholar_indexes.errors import (
    ConfigError,
    NoMatch,
    NotThere,
    RetryLater,
    ScholarError,
    UsageError,
)
from scholar_indexes.sanitize import sanitize_values

DESCRIPTION = "/openapi.json"

STATUSES: dict[type[ScholarError], int] = {
    UsageError: 400,
    ConfigError: 400,
    NotThere: 404,
    NoMatch: 404,
    RetryLater: 503,
    OutOfTime: 504,
}
"""The status of each kind of error, 500 for all others."""

ERRORS: tuple[int, ...] = (400, 401, 404, 408, 413, 422, 500, 503, 504)
"""The statuses of error responses."""

RETRY_AFTER_S = 5
"""Seconds after which a client may repeat a request that cannot be answered now."""


class Refusal(BaseModel):
    """An error message; if books cannot be read, with the answer from the others."""

    model_config = ConfigDict(extra="allow")

    error: str


def create_app(
    journeys: Journeys, workers: Workers, token: str, *, allow_writes: bool = False
) -> FastAPI:
    """Return the application, whose answers `workers` compute; every path except its description
    needs the token."""
    app = FastAPI(
        title="scholar",
        summary="Evidence for claims about books: verbatim passages with their locators.",
        version="1",
        docs_url=None,
        redoc_url=None,
        openapi_url=DESCRIPTION,
        dependencies=[Depends(HTTPBearer(auto_error=False))],  # for the description; see access
        responses={status: {"model": Refusal} for status in ERRORS},
    )
    app.add_exception_handler(ScholarError, _refuse)
    app.add_exception_handler(RequestValidationError, _refuse_parameters)
    app.add_exception_handler(HTTPException, _refuse_path)
    app.add_exception_handler(Exception, _report)
    methods = journeys.readers + (journeys.writers if allow_writes else [])
    for method in methods:
        app.post(f"/{method.__name__}", description=inspect.getdoc(method))(
            _endpoint(method, workers)
        )
    app.add_middleware(BoundedRequests, workers=workers)
    app.add_middleware(RequireToken, token=token, public=(DESCRIPTION,))
    return app


def _endpoint(
    method: Callable[..., dict[str, Any]], workers: Workers
) -> Callable[..., Awaitable[dict[str, Any]]]:
    """Return a method as a function of one JSON object, which may not have other keys."""
    hints = get_type_hints(method, include_extras=True)
    fields: dict[str, Any] = {
        name: (hints[name], ... if parameter.default is parameter.empty else parameter.default)
        for name, parameter in inspect.signature(method).parameters.items()
    }
    model = create_model(
        f"{method.__name__.title().replace('_', '')}Request",
        __config__=ConfigDict(extra="forbid"),
        **fields,
    )

    async def endpoint(request: Any) -> dict[str, Any]:
        values = {name: getattr(request, name) for name in fields}
        answer: dict[str, Any] = await workers.run(lambda: sanitize_values(method(**values)))
        return answer

    if not any(default is ... for _, default in fields.values()):
        endpoint.__defaults__ = (model(),)  # then the object may be omitted
    endpoint.__name__ = method.__name__
    endpoint.__annotations__ = {"request": model, "return": dict[str, Any]}
    return endpoint


async def _refuse(request: Request, error: Exception) -> JSONResponse:
    status = next((code for kind, code in STATUSES.items() if isinstance(error, kind)), 500)
    answer = sanitize_values(error.answer) if isinstance(error, Incomplete) else {}
    headers = {"Retry-After": str(RETRY_AFTER_S)} if status == 503 else None
    return JSONResponse({"error": str(error), **answer}, status, headers)


async def _refuse_parameters(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    place = ".".join(map(str, first["loc"][1:])) or "the object"
    return JSONResponse({"error": f"{place}: {first['msg']}; see {DESCRIPTION}"}, 422)


async def _refuse_path(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    return JSONResponse({"error": f"{error.detail}; see {DESCRIPTION}"}, error.status_code)


async def _report(request: Request, error: Exception) -> JSONResponse:
    """Answer a failure that should not happen; the server prints its traceback."""
    return JSONResponse({"error": f"{type(error).__name__}; this should not happen"}, 500)
