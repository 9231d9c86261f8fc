import type { OAuthTokens } from "@modelcontextprotocol/client";
import { defined, ParleyError } from "@parley/base";
import { mcpLoginTexts, oauthAnswerTexts } from "./texts.ts";

/**
 * Minimum characters of a token. A shorter token can be guessed, and its redaction would remove ordinary words.
 */
const shortestToken = 16;
const longestToken = 16_384;
const token = new RegExp(`^[\\x21-\\x7e]{${shortestToken},${longestToken}}$`);

interface Tokens {
	readonly accessToken: string;
	readonly refreshToken?: string;
}

/**
 * Returns the tokens of an answer. Throws if the type is not `bearer`, or if a token has an invalid length or invalid
 * characters.
 */
export function checkTokens({ access_token, token_type, refresh_token }: OAuthTokens): Tokens {
	if (token_type.toLowerCase() !== "bearer") throw invalid(oauthAnswerTexts.notBearer);
	const isValid = token.test(access_token) && (refresh_token === undefined || token.test(refresh_token));
	if (!isValid) throw invalid(oauthAnswerTexts.tokenLength(shortestToken, longestToken));
	return { accessToken: access_token, ...defined({ refreshToken: refresh_token }) };
}

/**
 * Returns the secret of a registration, or undefined if the secret is absent or empty. Throws if the secret is invalid.
 * A short secret is invalid, because its redaction would remove ordinary words.
 */
export function checkClientSecret(secret = ""): string | undefined {
	if (secret === "") return undefined;
	if (token.test(secret)) return secret;
	throw invalid(oauthAnswerTexts.secretLength(shortestToken, longestToken));
}

/**
 * Whether an address is safe for secrets and for a person's browser: https, or http with `allowPrivate`, and no
 * credentials.
 */
export function isSafeEndpoint(text: string, allowPrivate: boolean): boolean {
	const url = URL.parse(text);
	const isHttp = url?.protocol === "https:" || (allowPrivate && url?.protocol === "http:");
	return url !== null && isHttp && url.username + url.password === "";
}

/**
 * Pattern of codes from https://www.rfc-editor.org/rfc/rfc6749#section-5.2 and later documents. Other text could
 * contain a secret.
 */
const code = /^[a-z_]{1,40}$/;

/**
 * Returns the error code with which an authorization server refused. Returns undefined if `reason` is not a refusal, or
 * has no valid code.
 */
export function refusalCode(reason: unknown): string | undefined {
	const isRefusal = reason instanceof Error && reason.name === "OAuthError" && "code" in reason;
	const text = isRefusal ? String(reason.code) : "";
	return isErrorCode(text) ? text : undefined;
}

export function isErrorCode(text: string): boolean {
	return code.test(text);
}

/**
 * Returns an error for the operator. The error quotes only the error code of the authorization server, because other
 * text may contain secrets.
 */
export function loginProblem(reason: unknown, problem: ParleyError | undefined): ParleyError {
	if (reason instanceof ParleyError) return reason;
	if (problem) return problem;
	const refused = refusalCode(reason);
	if (refused !== undefined) return invalid(oauthAnswerTexts.refused(refused));
	const name = reason instanceof Error ? reason.name : "";
	return invalid(known[name] ?? oauthAnswerTexts.unusable);
}

const known: Readonly<Record<string, string>> = {
	IssuerMismatchError: oauthAnswerTexts.otherIssuer,
	RegistrationRejectedError: oauthAnswerTexts.notRegistered,
	InsecureTokenEndpointError: mcpLoginTexts.notHttps,
};

function invalid(message: string): ParleyError {
	return new ParleyError(message, { code: "unavailable" });
}
