import type { OAuthTokens } from "@modelcontextprotocol/client";
import { defined, ParleyError } from "@parley/base";

/** Characters of a token. A shorter one could be guessed, and would remove ordinary words from texts. */
const shortestToken = 16;
const longestToken = 16_384;
const token = new RegExp(`^[\\x21-\\x7e]{${shortestToken},${longestToken}}$`);

interface Tokens {
	readonly accessToken: string;
	readonly refreshToken?: string;
}

/** The tokens of an answer. Throws for tokens of another kind. */
export function checkTokens({ access_token, token_type, refresh_token }: OAuthTokens): Tokens {
	if (token_type.toLowerCase() !== "bearer") throw invalid("it sent a token that is not a bearer token");
	const isValid = token.test(access_token) && (refresh_token === undefined || token.test(refresh_token));
	if (!isValid)
		throw invalid(
			`it sent a token that does not have ${shortestToken} to ${longestToken} visible characters`,
		);
	return { accessToken: access_token, ...defined({ refreshToken: refresh_token }) };
}

/** The secret of a registration; undefined without one. Throws for one that would remove ordinary words. */
export function checkClientSecret(secret = ""): string | undefined {
	if (secret === "") return undefined;
	if (token.test(secret)) return secret;
	throw invalid(
		`it sent a secret of the client that does not have ${shortestToken} to ${longestToken} visible characters`,
	);
}

/** Whether an address can be shown to a person and get secrets. */
export function isSafeEndpoint(text: string, allowPrivate: boolean): boolean {
	const url = URL.parse(text);
	const isHttp = url?.protocol === "https:" || (allowPrivate && url?.protocol === "http:");
	return url !== null && isHttp && url.username + url.password === "";
}

/** Codes of https://www.rfc-editor.org/rfc/rfc6749#section-5.2 and later documents. Other text could contain a secret. */
const code = /^[a-z_]{1,40}$/;

/** Code of a refusal by an authorization server; undefined for another error. */
export function refusalCode(reason: unknown): string | undefined {
	const isRefusal = reason instanceof Error && reason.name === "OAuthError" && "code" in reason;
	const text = isRefusal ? String(reason.code) : "";
	return code.test(text) ? text : undefined;
}

/** Error for the operator. It has no text of the authorization server, which may contain secrets. */
export function loginProblem(reason: unknown, problem: ParleyError | undefined): ParleyError {
	if (reason instanceof ParleyError) return reason;
	if (problem) return problem;
	const refused = refusalCode(reason);
	if (refused !== undefined) return invalid(`the authorization server refused: ${refused}`);
	const name = reason instanceof Error ? reason.name : "";
	return invalid(known[name] ?? "the authorization server sent an answer that cannot be used");
}

const known: Readonly<Record<string, string>> = {
	IssuerMismatchError: "the metadata belongs to another authorization server",
	RegistrationRejectedError:
		"the authorization server refused to register Parley: register it there, and repeat the login with --client-id",
	InsecureTokenEndpointError: "an address of the authorization server is not https",
};

function invalid(message: string): ParleyError {
	return new ParleyError(message, { code: "unavailable" });
}
