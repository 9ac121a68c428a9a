# hipport with a compiler for AMD GPUs. The folder with the project is mounted at /work:
#   docker build --tag hipport .
#   docker run --rm --volume "$PWD:/work" hipport port saxpy -o saxpy-hip
FROM python:3.12-slim-trixie AS wheel
WORKDIR /source
COPY . .
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.12-slim-trixie
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends hipcc libamdhip64-dev cmake make git \
    && rm -rf /var/lib/apt/lists/*
COPY --from=wheel /wheels /wheels
# hadolint ignore=DL3013
RUN pip install --no-cache-dir /wheels/*.whl && rm -r /wheels && useradd --create-home hipport
USER hipport
WORKDIR /work
ENTRYPOINT ["hipport"]
CMD ["--help"]
