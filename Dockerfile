# The image of Parley: see docs/container.md. A test runs these steps without a builder.

FROM node:24-bookworm-slim AS build
WORKDIR /source
COPY . .
RUN npm run pack -- /packed command
# The image has a Node 24, so the one of the package is removed.
RUN npm install --global --prefix /opt/parley /packed/parley-agent-*.tgz \
	&& rm -rf /opt/parley/lib/node_modules/parley-agent/node_modules/node-linux-*

FROM node:24-bookworm-slim
RUN apt-get update \
	&& apt-get install --yes --no-install-recommends bubblewrap ca-certificates git \
	&& rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/parley /opt/parley
COPY --from=build /source/scripts/container-health.mjs /opt/parley/container-health.mjs
RUN mkdir --mode=700 /data && mkdir /work && chown node:node /data /work
ENV PATH=/opt/parley/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
ENV PARLEY_DATA=/data
# The user 1000 of the base image.
USER node
WORKDIR /work
VOLUME /data
EXPOSE 7777
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
	CMD ["node", "/opt/parley/container-health.mjs"]
ENTRYPOINT ["parley"]
CMD ["start"]
