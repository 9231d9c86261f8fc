import { ParleyError } from "@parley/base";
import { visible } from "../../../text/visible.ts";
import { directoryAddressTexts } from "./texts.ts";

const longestAddress = 2_000;
const longestHeaders = 8_192;
/** Maximum characters of a header name, or of a reference, that an error shows. */
const longestShown = 80;

/**
 * Returns the complete address of a remote server, with its host in ASCII. Throws `invalid_argument` for an unusable
 * address. No error contains a password.
 */
export function checkAddress(text: string): string {
	if (text.includes(`\${`)) throw refused(directoryAddressTexts.variable);
	if (text.length > longestAddress) throw refused(directoryAddressTexts.tooLong(longestAddress));
	const url = URL.parse(text);
	if (!url || !/^https?:$/.test(url.protocol)) throw refused(directoryAddressTexts.invalid);
	if (url.username + url.password !== "") throw refused(directoryAddressTexts.credentials);
	if (url.href.includes("#")) throw refused(directoryAddressTexts.fragment);
	if (url.href.length > longestAddress) throw refused(directoryAddressTexts.tooLong(longestAddress));
	return url.href;
}

/** Pattern of a header's name: https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2 */
const token = /^[!#$%&'*+.^_`|~0-9a-z-]{1,100}$/;
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Pattern of the headers that only Parley sets. A `host` header in the file could select another server at the
 * same address.
 */
const ownHeaders =
	/^(?:host|connection|keep-alive|content-.*|transfer-encoding|te|trailer|upgrade|expect|accept|accept-encoding|last-event-id|mcp-.*|proxy-.*)$/;

/** Returns the headers of an entry by lower-case names. Throws `invalid_argument` for unusable headers. */
export function checkHeaders(written: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
	const headers = new Map<string, string>();
	let length = 0;
	for (const [given, value] of Object.entries(written)) {
		const name = given.toLowerCase();
		const shown = visible(given.slice(0, longestShown));
		if (!token.test(name)) throw refused(directoryAddressTexts.headerName(shown));
		if (ownHeaders.test(name)) throw refused(directoryAddressTexts.ownHeader(shown));
		if (headers.has(name)) throw refused(directoryAddressTexts.twice(shown));
		if (!fieldValue.test(value)) throw refused(directoryAddressTexts.headerValue(shown));
		length += name.length + value.length;
		if (length > longestHeaders) throw refused(directoryAddressTexts.longHeaders(longestHeaders));
		const other = (value.match(reference) ?? []).find((one) => !variable.test(one));
		if (other !== undefined) {
			const shownReference = visible(other.slice(0, longestShown));
			throw refused(directoryAddressTexts.otherReference(shown, shownReference));
		}
		headers.set(name, value);
	}
	return Object.fromEntries(headers);
}

/** Pattern of references to variables. Also matches an unclosed reference, so that it is refused. */
const reference = /\$\{[^}]*\}?/g;

/**
 * Pattern of references to variables: `${NAME}` and `${NAME:-usual}` (syntax of Claude Code), and `${env:NAME}` (syntax
 * of Cursor). `usual` cannot contain a reference.
 */
const variable = /^\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-((?:(?!\$\{)[^}])*))?\}$/;

interface Reference {
	readonly name: string;
	/** Value of the reference if the variable is not granted. Undefined if the reference has no default. */
	readonly usual: string | undefined;
}

/** Returns the references to variables in the value of a header. */
export function referencesIn(value: string): readonly Reference[] {
	return (value.match(reference) ?? []).flatMap((text) => {
		const [, name, usual] = variable.exec(text) ?? [];
		return name === undefined ? [] : [{ name, usual }];
	});
}

/**
 * Returns the headers with values for their references: the granted variable, otherwise the default of the reference,
 * otherwise "". Throws `invalid_argument` if a value then has a character that no header can have.
 */
export function fillHeaders(
	headers: Readonly<Record<string, string>>,
	granted: Readonly<Record<string, string>>,
): Record<string, string> {
	const filled = Object.entries(headers).map(([name, written]) => {
		const value = written.replace(reference, (text) => {
			const [, variableName = "", usual = ""] = variable.exec(text) ?? [];
			return (Object.hasOwn(granted, variableName) ? granted[variableName] : undefined) ?? usual;
		});
		if (!fieldValue.test(value)) throw refused(directoryAddressTexts.headerValue(name));
		return [name, value] as const;
	});
	return Object.fromEntries(filled);
}

function refused(message: string): ParleyError {
	return new ParleyError(message, { code: "invalid_argument" });
}
