"""What is counted while the server runs: requests, and the processor time of what it reads and diagnoses."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector

from iotriage_parsers.frozen import frozen

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180)


@frozen
class Meters:
    """Of one application: two in one process count apart."""

    registry: CollectorRegistry
    requests: Counter
    request_seconds: Histogram
    task_seconds: Histogram

    def request(self, method: str, status: int, seconds: float) -> None:
        self.requests.labels(method, str(status)).inc()
        self.request_seconds.labels(method).observe(seconds)

    def task(self, cpu_seconds: float) -> None:
        self.task_seconds.observe(cpu_seconds)


def new_meters() -> Meters:
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    return Meters(
        registry,
        Counter("iotriage_requests", "Requests answered.", ["method", "status"], registry=registry),
        Histogram("iotriage_request_seconds", "How long they took.", ["method"], registry=registry, buckets=_SECONDS),
        Histogram(
            "iotriage_task_cpu_seconds",
            "Processor time of a case or view: reading its sources and diagnosing them.",
            registry=registry,
            buckets=_SECONDS,
        ),
    )
