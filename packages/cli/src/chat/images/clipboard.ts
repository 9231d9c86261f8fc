import { definedItems, ParleyError } from "@parley/base";
import { imageProblem, readOperatorCommand } from "@parley/core";

const maxImageBytes = 20 * 1024 * 1024;
const maxTextBytes = 256 * 1024;
/**
 * Maximum milliseconds for a call of a clipboard program. The program waits for the application that owns the
 * clipboard.
 */
const maxMs = 5_000;

/** An image in the clipboard. `extension` corresponds to the format of its bytes. */
export interface ClipboardImage {
	readonly kind: "image";
	readonly bytes: Buffer;
	readonly extension: ImageExtension;
}

/** Content of the clipboard, or the reason why it cannot be read. */
export type Clipboard =
	| ClipboardImage
	| { readonly kind: "text"; readonly text: string }
	/** No image and no text. */
	| { readonly kind: "empty" }
	/** None of these programs is installed. */
	| { readonly kind: "no-program"; readonly programs: readonly string[] }
	/** Neither a Wayland display nor an X display is set. */
	| { readonly kind: "no-clipboard" }
	/**
	 * A program could not be run, was ended by a signal or the time limit, or printed more than the size limit.
	 */
	| { readonly kind: "failed"; readonly program: string };

export interface ClipboardSystem {
	readonly platform: NodeJS.Platform;
	readonly isWsl: boolean;
	readonly environment: Readonly<Record<string, string | undefined>>;
	readonly signal?: AbortSignal;
}

type ImageExtension = "png" | "jpg" | "gif" | "webp";

/** Image types that models can read, in order of preference. */
const imageTypes = ["image/png", "image/jpeg", "image/webp", "image/gif"] as const;
type ImageType = (typeof imageTypes)[number];

const extensions: { readonly [Type in ImageType]: ImageExtension } = {
	"image/png": "png",
	"image/jpeg": "jpg",
	"image/webp": "webp",
	"image/gif": "gif",
};

/**
 * Resolves with the output of a program. Resolves with undefined if its exit code is not 0, or if a signal or a limit
 * ends it. With a code other than 0, programs report that the clipboard has no content of the requested type.
 */
type ReadProgram = (args: readonly string[], maxBytes: number) => Promise<Buffer | undefined>;

/**
 * A program that reads the clipboard. `image` resolves with undefined if the clipboard has no image, and `text` if
 * the clipboard has no text.
 */
interface ClipboardProgram {
	readonly name: string;
	image(read: ReadProgram): Promise<Buffer | undefined>;
	/** Reads text. Absent if the program reads only images. */
	text?(read: ReadProgram): Promise<Buffer | undefined>;
}

/** Reads the clipboard with the first program that is installed and supports the content. */
export async function readClipboard(system: ClipboardSystem): Promise<Clipboard> {
	const programs = programsOf(system);
	if (programs.length === 0) return { kind: "no-clipboard" };
	for (const program of programs) {
		const found = await readWith(program, system);
		if (found) return found;
	}
	return { kind: "no-program", programs: programs.map(({ name }) => name) };
}

/**
 * Resolves with the content that the program reads. Resolves with undefined if the program is not installed, or
 * if it reads only images and finds no supported image.
 */
async function readWith(
	program: ClipboardProgram,
	{ environment, signal }: ClipboardSystem,
): Promise<Clipboard | undefined> {
	const failed = { kind: "failed", program: program.name } as const;
	let isStopped = false;
	const read: ReadProgram = async (args, maxBytes) => {
		const command = { command: program.name, args, environment };
		const { code, bytes } = await readOperatorCommand(command, {
			maxBytes,
			signal: AbortSignal.any(definedItems([AbortSignal.timeout(maxMs), signal])),
		});
		isStopped ||= bytes === undefined;
		return code === 0 ? bytes : undefined;
	};
	try {
		const image = await program.image(read);
		const extension = image && extensionOf(image);
		if (image && image.length > maxImageBytes) return failed;
		if (image && extension) return { kind: "image", bytes: image, extension };
		if (isStopped) return failed;
		if (!program.text) return undefined;
		const text = await program.text(read);
		if (isStopped) return failed;
		return text && text.length > 0 ? { kind: "text", text: text.toString("utf8") } : { kind: "empty" };
	} catch (reason) {
		if (ParleyError.from(reason).code === "not_found") return undefined;
		return failed;
	}
}

function programsOf({ platform, isWsl, environment }: ClipboardSystem): readonly ClipboardProgram[] {
	if (platform === "darwin") return [pngpaste, osascript];
	const display = environment["DISPLAY"] ? [xclip] : [];
	// A Wayland session usually also has an X server.
	const graphical = environment["WAYLAND_DISPLAY"] ? [wlPaste, ...display] : display;
	return isWsl ? [powershell, ...graphical] : graphical;
}

/** Program for Wayland: https://github.com/bugaevc/wl-clipboard */
const wlPaste: ClipboardProgram = {
	name: "wl-paste",
	async image(read) {
		const type = imageTypeIn(await read(["--list-types"], maxTextBytes));
		return type === undefined ? undefined : read(["--no-newline", "--type", type], maxImageBytes);
	},
	text: (read) => read(["--no-newline", "--type", "text"], maxTextBytes),
};

/** Program for X: https://github.com/astrand/xclip */
const xclip: ClipboardProgram = {
	name: "xclip",
	async image(read) {
		const type = imageTypeIn(await read(["-selection", "clipboard", "-t", "TARGETS", "-o"], maxTextBytes));
		return type === undefined
			? undefined
			: read(["-selection", "clipboard", "-t", type, "-o"], maxImageBytes);
	},
	text: (read) => read(["-selection", "clipboard", "-t", "UTF8_STRING", "-o"], maxTextBytes),
};

/** Program for macOS: https://github.com/jcsalterego/pngpaste */
const pngpaste: ClipboardProgram = {
	name: "pngpaste",
	image: (read) => read(["-"], maxImageBytes),
};

/** Part of macOS: osascript(1). Prints binary data as hexadecimal text: `«data PNGf8950…»`. */
const osascript: ClipboardProgram = {
	name: "osascript",
	async image(read) {
		const printed = await read(["-e", "get the clipboard as «class PNGf»"], maxImageBytes * 2 + 1_024);
		const hex = /«data PNGf([0-9A-F]+)»/i.exec(printed?.toString("utf8") ?? "")?.[1];
		return hex === undefined ? undefined : Buffer.from(hex, "hex");
	},
	async text(read) {
		const printed = await read(["-e", "the clipboard as text"], maxTextBytes);
		// `osascript` prints a line break after the text.
		return printed?.at(-1) === 0x0a ? printed.subarray(0, -1) : printed;
	},
};

/**
 * PowerShell script that prints the image as base64. The clipboard class of Windows Forms requires a
 * single-threaded apartment (STA).
 */
const printImage = [
	"Add-Type -AssemblyName System.Windows.Forms,System.Drawing",
	"$i = [System.Windows.Forms.Clipboard]::GetImage()",
	"if ($i) { $m = New-Object System.IO.MemoryStream",
	"$i.Save($m, [System.Drawing.Imaging.ImageFormat]::Png)",
	"[Console]::Out.Write([Convert]::ToBase64String($m.ToArray())) }",
].join("; ");
const printText =
	"[Console]::OutputEncoding = [System.Text.Encoding]::UTF8; [Console]::Out.Write((Get-Clipboard -Raw))";

/** Windows PowerShell, which WSL can start: https://learn.microsoft.com/windows/wsl/filesystems */
const powershell: ClipboardProgram = {
	name: "powershell.exe",
	async image(read) {
		const printed = await read(powershellArgs(printImage), maxImageBytes * 2);
		return printed && printed.length > 0 ? Buffer.from(printed.toString("latin1"), "base64") : undefined;
	},
	text: (read) => read(powershellArgs(printText), maxTextBytes),
};

function powershellArgs(script: string): readonly string[] {
	return ["-NoProfile", "-NonInteractive", "-STA", "-Command", script];
}

function imageTypeIn(listed: Buffer | undefined): ImageType | undefined {
	const types =
		listed
			?.toString("utf8")
			.split("\n")
			.map((line) => line.trim()) ?? [];
	return imageTypes.find((type) => types.includes(type));
}

/**
 * Returns the extension of an image, or undefined if its first bytes do not identify a format that models can
 * read.
 */
function extensionOf(bytes: Buffer): ImageExtension | undefined {
	const data = bytes.subarray(0, 12).toString("base64");
	const type = imageTypes.find((mediaType) => imageProblem({ mediaType, data }) === undefined);
	return type && extensions[type];
}
