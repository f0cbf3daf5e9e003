# syntax=docker/dockerfile:1
# Build stage: everything from Debian; kernels are compiled at run time, so no CUDA here.
FROM debian:bookworm AS build
COPY . /src
WORKDIR /src
RUN apt-get update && grep -v '^#' scripts/packages.txt | grep -v clang | xargs apt-get install -y --no-install-recommends
RUN ./scripts/build release tilewright tilewrightd tilewright-worker && mkdir -p /out/bin /out/lib && \
    install -s build/release/bin/tilewright build/release/bin/tilewrightd build/release/bin/tilewright-worker /out/bin/ && \
    for b in /out/bin/*; do ldd "$b" | awk '$3 ~ /^\// {print $3}'; done | sort -u | \
    grep -v -E '/(ld-linux|libc\.|libm\.|libdl\.|libpthread\.|librt\.)' | xargs -I{} cp {} /out/lib/

# Runtime: NVRTC and its built-ins; the driver comes from the host through the container toolkit.
FROM debian:bookworm-slim
ARG NVRTC_DIR=cuda-nvrtc
# Place libnvrtc.so.13 and libnvrtc-builtins.so.13.* in NVRTC_DIR of the build context.
COPY ${NVRTC_DIR}/ /usr/local/cuda/lib64/
COPY --from=build /out /opt/tilewright
RUN useradd --system --create-home tilewright
USER tilewright
ENV PATH=/opt/tilewright/bin:$PATH NVIDIA_DRIVER_CAPABILITIES=compute,utility
ENTRYPOINT ["tilewrightd"]
