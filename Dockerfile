# The app from its wheels (`make wheels`): nothing is fetched while building but the base image, and nothing at run time.
# A tag moves: BASE_IMAGE=docker.io/library/python@sha256:… pins the base image. Where a registry can be reached,
#   docker buildx imagetools inspect docker.io/library/python:3.11-slim-bookworm --format '{{.Manifest.Digest}}'
# says its digest, which is to be renewed with each release: a digest that nobody renews gets no security update.
ARG BASE_IMAGE=docker.io/library/python:3.11-slim-bookworm
FROM ${BASE_IMAGE}
COPY wheelhouse /wheels
RUN python3 -m venv /opt/iotriage \
 && /opt/iotriage/bin/pip install --no-cache-dir --no-index --find-links /wheels "iotriage[server,pydarshan,centre,dask]" \
 && rm -rf /wheels \
 && groupadd --system --gid 10001 iotriage \
 && useradd --system --uid 10001 --gid iotriage --no-create-home --home-dir /data --shell /usr/sbin/nologin iotriage \
 && install -d -o iotriage -g iotriage -m 0700 /data /warehouse \
 && install -d -o iotriage -g iotriage -m 0750 /run/iotriage
COPY sample-logs /opt/iotriage/sample-logs
ENV IOTRIAGE_DATA_DIR=/data \
    IOTRIAGE_SAMPLES_DIR=/opt/iotriage/sample-logs \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
USER iotriage
VOLUME /data
EXPOSE 8200
ENTRYPOINT ["/opt/iotriage/bin/iotriage"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8200"]
