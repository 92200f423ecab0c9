# docker build -t crosscheck . && docker run --rm -v "$PWD:/work" crosscheck demo tour
FROM rust:1.95-slim-bookworm AS build
WORKDIR /source
COPY . .
RUN cargo build --locked --profile dist --package crosscheck-cli

# glibc, certificates and nothing else: no shell, no package manager
FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /source/target/dist/crosscheck /usr/local/bin/crosscheck
COPY --from=build /source/LICENSE-APACHE /source/LICENSE-MIT /usr/share/doc/crosscheck/
WORKDIR /work
USER nonroot:nonroot
ENTRYPOINT ["/usr/local/bin/crosscheck"]
CMD ["--help"]
