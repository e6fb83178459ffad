"""What is no HTTP request gets an answer like all others: uvicorn would say it in plain text."""

from __future__ import annotations

import h11
import structlog
from uvicorn.protocols.http.h11_impl import H11Protocol

from iotriage.api.guard.headers import SECURITY_HEADERS
from iotriage.api.guard.request_log import new_request_id
from iotriage.api.problems import MEDIA_TYPE, PROBLEM_DETAILS, ProblemDetails, problem_type

log: structlog.stdlib.BoundLogger = structlog.get_logger()


class GuardedProtocol(H11Protocol):
    """HTTP/1.1 as uvicorn speaks it, by h11."""

    def send_400_response(self, msg: str) -> None:
        if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            # An answer has begun: nothing else can be said on this connection.
            self.transport.close()
            return
        request_id = new_request_id()
        log.info("no request", request_id=request_id, why=msg)
        details = ProblemDetails(problem_type("no-request"), "Bad Request", 400, "This is not an HTTP request.")
        body = PROBLEM_DETAILS.dump_json(details)
        headers = {**SECURITY_HEADERS, "content-type": MEDIA_TYPE, "x-request-id": request_id, "connection": "close"}
        encoded = [(name.encode(), value.encode()) for name, value in headers.items()]
        encoded.append((b"content-length", str(len(body)).encode()))
        for event in (
            h11.Response(status_code=400, headers=encoded, reason=b"Bad Request"),
            h11.Data(data=body),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()
