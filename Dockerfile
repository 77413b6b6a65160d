# Builds one static binary and puts it into a small image that runs as nobody
# special. Debian slim rather than an empty image: the checks of patches need git
# and a sandbox, and an operator needs a shell.
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags="-s -w" -o /plumbline ./cmd/plumbline

FROM debian:bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates git bubblewrap \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --uid 10001 --create-home --home-dir /var/lib/plumbline plumbline
COPY --from=build /plumbline /usr/local/bin/plumbline
USER 10001
WORKDIR /var/lib/plumbline
ENV PLUMBLINE_DATA=/var/lib/plumbline/data
VOLUME /var/lib/plumbline
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s CMD ["plumbline", "health", "--addr=127.0.0.1:8080"]
ENTRYPOINT ["plumbline"]
CMD ["serve", "--addr=0.0.0.0:8080", "--auth"]
