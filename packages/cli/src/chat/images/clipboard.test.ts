import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type ClipboardSystem, readClipboard } from "./clipboard.ts";

const png = Buffer.from("\u{89}PNG\r\n\u{1a}\n and more", "latin1");
const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 1]);

function system(
	programs: Readonly<Record<string, string>>,
	more: Partial<ClipboardSystem> = {},
): ClipboardSystem & { readonly log: () => string } {
	const directory = mkdtempSync(join(tmpdir(), "parley-clipboard-test-"));
	onTestFinished(() => rmSync(directory, { recursive: true }));
	writeFileSync(join(directory, "image.png"), png);
	writeFileSync(join(directory, "image.jpg"), jpeg);
	writeFileSync(join(directory, "log"), "");
	for (const [name, script] of Object.entries(programs)) {
		const path = join(directory, name);
		writeFileSync(path, `#!/bin/sh\nPATH=/usr/bin:/bin\ncd '${directory}'\necho "$0 $*" >> log\n${script}\n`);
		chmodSync(path, 0o755);
	}
	const environment = { DISPLAY: ":9", ...more.environment, PATH: directory };
	return {
		...{ platform: "linux", isWsl: false, ...more, environment },
		log: () => readFileSync(join(directory, "log"), "utf8"),
	};
}

const xclipImage = `case "$*" in *TARGETS*) printf 'TARGETS\\nimage/bmp\\nimage/png\\n' ;; *image/png*) cat image.png ;; *) exit 1 ;; esac`;
const xclipText = `case "$*" in *TARGETS*) printf 'TARGETS\\nUTF8_STRING\\n' ;; *UTF8_STRING*) printf 'hällo\\n' ;; *) exit 1 ;; esac`;
const missing = { PATH: "" };

test("the image of an X11 clipboard is read by xclip, and a text if there is no image", async () => {
	expect(await readClipboard(system({ xclip: xclipImage }))).toEqual({
		kind: "image",
		bytes: png,
		extension: "png",
	});
	expect(await readClipboard(system({ xclip: xclipText }))).toEqual({ kind: "text", text: "hällo\n" });
	expect(await readClipboard(system({ xclip: "exit 1" }))).toEqual({ kind: "empty" });
});

test("a Wayland clipboard is read by wl-paste, and by xclip if that is missing", async () => {
	const wlPaste = `case "$*" in *--list-types*) echo image/jpeg ;; *image/jpeg*) cat image.jpg ;; *) exit 1 ;; esac`;
	const environment = { WAYLAND_DISPLAY: "wayland-0" };
	const wayland = system({ "wl-paste": wlPaste, xclip: xclipImage }, { environment });
	expect(await readClipboard(wayland)).toEqual({ kind: "image", bytes: jpeg, extension: "jpg" });
	expect(wayland.log()).not.toContain("xclip");
	expect(await readClipboard(system({ xclip: xclipImage }, { environment }))).toMatchObject({
		extension: "png",
	});
});

test("the clipboard of macOS is read by pngpaste, and by osascript without it or without an image", async () => {
	const mac = { platform: "darwin" } as const;
	const osascript = `case "$*" in *PNGf*) printf '«data PNGf%s»\\n' "$(od -An -v -tx1 image.png | tr -d ' \\n')" ;; *) echo text ;; esac`;
	const both = system({ pngpaste: '[ "$1" = - ] && cat image.jpg', osascript }, mac);
	expect(await readClipboard(both)).toMatchObject({ kind: "image", extension: "jpg" });
	expect(await readClipboard(system({ osascript }, mac))).toEqual({
		kind: "image",
		bytes: png,
		extension: "png",
	});
	const text = `case "$*" in *PNGf*) exit 1 ;; *) echo text ;; esac`;
	expect(await readClipboard(system({ pngpaste: "exit 1", osascript: text }, mac))).toEqual({
		kind: "text",
		text: "text",
	});
});

test("the clipboard of Windows is read by PowerShell in WSL", async () => {
	const powershell = `case "$*" in *GetImage*) base64 image.png | tr -d '\\n' ;; *) printf 'a\\r\\nb' ;; esac`;
	expect(await readClipboard(system({ "powershell.exe": powershell }, { isWsl: true }))).toEqual({
		kind: "image",
		bytes: png,
		extension: "png",
	});
	const text = `case "$*" in *GetImage*) : ;; *) printf 'a\\r\\nb' ;; esac`;
	expect(await readClipboard(system({ "powershell.exe": text }, { isWsl: true }))).toEqual({
		kind: "text",
		text: "a\r\nb",
	});
});

test("missing programs are named, and a system without a graphical session has no clipboard", async () => {
	const environment = { WAYLAND_DISPLAY: "wayland-0", DISPLAY: ":9", ...missing };
	expect(await readClipboard({ platform: "linux", isWsl: false, environment })).toEqual({
		kind: "no-program",
		programs: ["wl-paste", "xclip"],
	});
	expect(await readClipboard({ platform: "linux", isWsl: false, environment: missing })).toEqual({
		kind: "no-clipboard",
	});
});

test("content other than an image is not sent as an image, and too much output ends the program", async () => {
	const wrong = xclipImage.replace("cat image.png", "echo text");
	expect(await readClipboard(system({ xclip: wrong }))).toEqual({ kind: "empty" });
	const endless = xclipImage.replace("cat image.png", "cat /dev/zero");
	expect(await readClipboard(system({ xclip: endless }))).toEqual({ kind: "failed", program: "xclip" });
});

test("a program of the clipboard is ended at the end of the chat", async () => {
	const ended = system({ xclip: xclipImage }, { signal: AbortSignal.abort() });
	expect(await readClipboard(ended)).toEqual({ kind: "failed", program: "xclip" });
});

test("an image that is larger than the limit is refused, also in the text form of Windows", async () => {
	const large = `case "$*" in *GetImage*) { cat image.png; head -c 22020096 /dev/zero; } | base64 | tr -d '\\n' ;; *) echo text ;; esac`;
	const windows = system({ "powershell.exe": large }, { isWsl: true });
	expect((await readClipboard(windows)).kind).toBe("failed");
});
