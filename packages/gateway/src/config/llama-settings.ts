import { statSync } from "node:fs";
import { basename } from "node:path";
import { defined } from "@parley/base";
import type { JsonPath } from "@parley/base/commented-json";
import { operatorEnvironment } from "@parley/core";
import { settingRefusalTexts } from "../texts/config/refusals.ts";
import { parseBaseUrl } from "./base-url.ts";
import { defaultLlamaEndpoint } from "./provider.ts";
import type { Settings } from "./schema.ts";
import { notAllowed } from "./setting-refusal.ts";

/** Settings of the local model server. */
export interface LlamaSettings {
	/** Address of the server, without a slash at its end. */
	readonly endpoint: string;
	readonly modelDir?: string;
	/** Program of the server: an absolute path, or a name in PATH. Absent if the operator runs the server. */
	readonly command?: string;
	readonly args: readonly string[];
	/** Whether the server starts with the gateway instead of with the first request. */
	readonly autostart: boolean;
	/** Complete environment of the program. */
	readonly environment: Readonly<Record<string, string>>;
	readonly apiKey?: string;
}

type Written = NonNullable<Settings["llama"]>;

/**
 * Prefixes of environment variables that the program receives. The variables are for the server, its libraries, and
 * graphics cards.
 */
const prefixes = [
	"LLAMA_",
	"GGML_",
	"GGUF_",
	"CUDA_",
	"NVIDIA_",
	"HIP_",
	"ROCR_",
	"HSA_",
	"GPU_",
	"ONEAPI_",
	"ZES_",
	"VK_",
];
const more = ["OMP_", "HF_", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "XDG_CACHE_HOME"];

/** Returns the settings of the local model server with their defaults. `environment` is the gateway's environment. */
export function readLlama(
	{ endpoint = defaultLlamaEndpoint, model_dir: modelDir, command, args = [], autostart = true }: Written,
	environment: Readonly<Record<string, string | undefined>>,
): LlamaSettings {
	const url = parseBaseUrl(endpoint);
	const apiKey = environment["LLAMA_API_KEY"]?.trim();
	return {
		endpoint: url?.href.replace(/\/$/, "") ?? endpoint,
		args,
		autostart,
		...defined({ modelDir, command, apiKey: apiKey || undefined }),
		environment: {
			...operatorEnvironment(environment, [...prefixes, ...more]),
			...defined({
				LLAMA_ARG_HOST: url?.hostname.replace(/^\[|\]$/g, ""),
				LLAMA_ARG_PORT: url && (url.port || "80"),
				LLAMA_ARG_MODELS_DIR: modelDir,
			}),
		},
	};
}

export function withAbsoluteLlama(written: Written, absolute: (path: string) => string): Written {
	const { model_dir, command } = written;
	return {
		...written,
		...defined({
			model_dir: model_dir === undefined ? undefined : absolute(model_dir),
			command: command?.includes("/") ? absolute(command) : undefined,
		}),
	};
}

interface CheckedSource {
	readonly settings: Settings;
	readonly source: { readonly origin: (path: JsonPath) => string };
}

/**
 * Checks the settings of the local model server. Throws `invalid_argument` in these cases:
 * - `baseUrl` is also set, and the provider is not `offline`.
 * - The model directory does not exist.
 * - The gateway starts the program, and the endpoint is not an `http:` address without a path.
 */
export function checkLlama({ settings, source }: CheckedSource, all: Settings): void {
	const { baseUrl, llama } = settings;
	if (baseUrl !== undefined && all.provider !== "offline") {
		const reason = settingRefusalTexts.otherModelServer;
		throw notAllowed(source, ["baseUrl"], {
			value: baseUrl,
			reason,
			allowed: settingRefusalTexts.oneOfBoth,
		});
	}
	const { model_dir: directory, endpoint, command } = llama ?? {};
	if (directory !== undefined && !statSync(directory, { throwIfNoEntry: false })?.isDirectory()) {
		throw notAllowed(source, ["llama", "model_dir"], {
			value: directory,
			allowed: settingRefusalTexts.existingDirectory,
		});
	}
	if (command === undefined || endpoint === undefined) return;
	const url = parseBaseUrl(endpoint);
	if (url?.protocol === "http:" && url.pathname === "/") return;
	const reason = settingRefusalTexts.llamaWithoutPath;
	const allowed = settingRefusalTexts.llamaEndpoint;
	throw notAllowed(source, ["llama", "endpoint"], { value: endpoint, reason, allowed });
}

/**
 * Returns the model name that the arguments of llama-server set: an alias, a file name, or a repository. Returns
 * `default` if no argument sets a name, because llama-server then accepts any model name.
 */
export function modelInArguments(args: readonly string[] = []): string {
	const argument = (...names: readonly string[]): string | undefined => {
		const at = args.findLastIndex((arg) => names.includes(arg.split("=")[0] ?? ""));
		const inline = /=(.*)$/s.exec(args[at] ?? "")?.[1];
		return at < 0 ? undefined : (inline ?? args[at + 1]);
	};
	const alias = argument("-a", "--alias")?.split(",")[0];
	const file = argument("-m", "--model");
	return (
		alias ??
		(file === undefined ? undefined : basename(file)) ??
		argument("-hf", "-hfr", "--hf-repo") ??
		"default"
	);
}
