// Entry of every command in package.json. The files in this folder are plain JavaScript, because they run on the
// installed Node (20 or newer). They install the workspace's Node 24, which runs everything else.

const tasks = {
	start: () => import("./start.mjs"),
	test: () => import("./test.mjs"),
	"test:near": () => import("./test-near.mjs"),
	"test:ci": () => import("./test-ci.mjs"),
	check: () => import("./check.mjs"),
	fix: () => import("./fix.mjs"),
	bench: () => import("./bench.mjs"),
	chaos: () => import("./chaos.mjs"),
	"first-ten": () => import("./first-ten.mjs"),
	fuzz: () => import("./fuzz.mjs"),
	eval: () => import("./eval.mjs"),
	texts: () => import("./texts.mjs"),
	build: () => import("./build.mjs"),
	pack: () => import("./pack.mjs"),
	generate: () => import("./generate.mjs"),
};

const [name = "", ...args] = process.argv.slice(2);
if (Number.parseInt(process.versions.node, 10) < 20) {
	console.error(`Parley needs Node 20 or newer to set itself up, and this is ${process.version}.`);
	process.exitCode = 1;
} else if (!Object.hasOwn(tasks, name)) {
	console.error(`unknown task "${name}": use one of ${Object.keys(tasks).join(", ")}`);
	process.exitCode = 2;
} else {
	const { run } = await tasks[/** @type {keyof typeof tasks} */ (name)]();
	process.exitCode = await run(args);
}
