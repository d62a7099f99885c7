# A small image of the broker: docker build --build-arg COMMIT="$(git rev-parse --short=12 HEAD)" -t roomline .
# --build-arg TRAITS=Server leaves out what only the node of a cluster needs.
ARG TRAITS=Server,Cluster
FROM swift:6.3-bookworm AS build
ARG TRAITS
RUN apt-get update \
    && apt-get install --yes --no-install-recommends libsqlite3-dev libssl-dev zlib1g-dev \
        $(case "$TRAITS" in *Cluster*) echo libnats-dev ;; esac) \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /build
# The packages come first, so that a change of the sources does not fetch them again.
COPY Package.swift Package.resolve[d] ./
RUN swift package resolve
COPY . .
RUN swift build -c release --product roomline --static-swift-stdlib --traits "$TRAITS"
ARG COMMIT=
RUN DESTDIR=/installed scripts/install .build/release/roomline /usr

FROM debian:bookworm-slim
ARG TRAITS
RUN apt-get update \
    && apt-get install --yes --no-install-recommends libsqlite3-0 libssl3 libstdc++6 zlib1g ca-certificates \
        $(case "$TRAITS" in *Cluster*) echo libnats3.4 ;; esac) \
    && rm -rf /var/lib/apt/lists/* \
    && groupadd --gid 10001 roomline \
    && useradd --uid 10001 --gid 10001 --home-dir /var/lib/roomline --shell /usr/sbin/nologin roomline \
    && install -d -m 700 -o roomline -g roomline /var/lib/roomline
COPY --from=build /installed/usr/bin/roomline /usr/bin/roomline
USER 10001:10001
# For the broker, and for `roomline` commands that are run in the container.
ENV ROOMLINE_DATA=/var/lib/roomline
VOLUME /var/lib/roomline
EXPOSE 10000 10001
HEALTHCHECK --interval=10s --timeout=5s --start-period=15m CMD ["roomline", "health"]
# The broker refuses to listen on all addresses before its channels require tokens, or until it is told to.
ENTRYPOINT ["roomline"]
CMD ["serve", "--tcp", "0.0.0.0:10000", "--http", "0.0.0.0:10001"]
