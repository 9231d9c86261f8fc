import { bench, benches } from "./benches.mjs";
import { prepare } from "./build.mjs";

/** @param {readonly string[]} args Name and arguments of a bench. Without a name, lists all benches. */
export async function run([name, ...args]) {
	if (name === undefined) {
		console.log(`npm run bench -- NAME [--rounds N] [--json FILE]\n\n${benches().join("\n")}`);
		return 0;
	}
	if (!benches().includes(name)) {
		console.error(`unknown bench "${name}": use one of ${benches().join(", ")}`);
		return 2;
	}
	if (!(await prepare())) return 1;
	return bench(name, args);
}
