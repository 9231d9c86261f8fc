/** Text in place of a secret. */
export const REPLACEMENT = "[redacted]";

/** Credentials without a maximum length. The last part of each pattern takes all that continues the credential. */
const endless = [
	// Slack: https://docs.slack.dev/authentication/tokens
	/xox[abeprs](?:\.xox[bp])?-[\w-]{8,}/,
	/xapp-[\w-]{8,}/,
	/sk-ant-[\w-]{8,}/,
	// GitHub: https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/
	/gh[pousr]_[A-Za-z0-9]{16,}/,
	/github_pat_\w{16,}/,
	/(?<![\w-])eyJ[\w-]{5,}\.eyJ[\w-]{5,}\.[\w-]*(?:\.[\w-]+)*/,
	// The gateway's own tokens.
	/gw_[\w-]{16,}/,
];

/**
 * Forms of credentials that are not registered. Each pattern takes linear time: repetitions are bounded, or cannot start
 * again inside what they have just consumed.
 */
export const shapes: readonly RegExp[] = [
	...endless.map(({ source }) => new RegExp(source, "g")),
	// AWS access key ids: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html#identifiers-unique-ids
	/A(?:KIA|SIA)[0-9A-Z]{16}/g,
	// Discord bot tokens: user id, time and signature, each base64url.
	/(?<![\w-])[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,45}/g,
	// Private keys, also when the end is cut off and when the line breaks are escaped (RFC 7468).
	/-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[\w+/=\s\\:,]|-(?!----))*(?:-----END [A-Z0-9 ]{0,60}-----)?/g,
];

/** A JSON Web Token whose second or third part has not begun. */
const beginningOfJwt = /(?<![\w-])eyJ[\w-]{5,}(?:\.(?:ey?|eyJ[\w-]*)?)?/;
/** Matches a credential without a maximum length that the end of the text may cut off. */
export const cutShape = new RegExp(
	`(?:${[...endless, beginningOfJwt].map(({ source }) => source).join("|")})$`,
);
/** Characters of the longest shape that has a maximum, and of the longest beginning that `cutShape` does not match. */
export const longestShape = 100;

/** Beginnings of all shapes, by which a stream holds a text back in time. */
export const openings = [
	"xox[abeprs]",
	"xapp",
	"sk-a",
	"gh[pousr]_",
	"gith",
	"AKIA",
	"ASIA",
	"eyJ[\\w-]",
	"gw_[\\w-]",
	"-----B",
	"[MNO][\\w-]{11}",
];
/** Characters of the longest of them. */
export const openingLength = 12;
