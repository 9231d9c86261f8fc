interface PasswordForm {
	readonly question: string;
	readonly facts: string;
	readonly problem: string | undefined;
	readonly needed: string;
	readonly host: string;
	readonly end: string;
}

/** Texts of the pages for passwords. */
export const passwordPageTexts = {
	otherMethod: "Method not allowed",
	openInBrowser: "Open this address in a browser.",
	openInTab: "Open the link itself, in a separate tab.",
	otherPage: "Not allowed from another page",
	needsHttps: "A password cannot be sent over an unencrypted connection: open the link with https.",
	unencrypted: "Unencrypted connection",
	formUnreadable: "The form could not be read",
	useForm: "Open the link again and use its form.",
	received: "The tool has received the password. You can close this page.",
	thankYou: "Thank you",
	used: "This page was already used, and it works only once.",
	expired: "This page has expired: it is valid for ten minutes.",
	answered: "The question was already answered, or it expired.",
	requestAnother: "If the question is still open, request another page in its conversation.",
	closed: "This page is closed",
	tooManyAttempts: "Too many attempts",
	waitMinutes: "Wait a few minutes.",
	unknownLink:
		"The link is incomplete or too old, or the gateway was restarted. Request another page in the conversation.",
	notFound: "Page not found",
	notAllowed: "You may no longer answer this question. Ask the operator of this gateway for access.",
	busy: "The gateway is busy. Try again in a moment.",
	notAccepted: "The password was not accepted",
	notShown: "The page cannot be shown",
	seeLog: "Try again. If it fails again, the operator can find the reason in the log of the gateway.",
	withoutTitle: "without a title",
	workingFor: "Working for",
	operator: "the operator of this gateway",
	youAnswerAs: "You answer as",
	title: "An agent requests a password from you",
	keyReused: ({ key }: { readonly key: string | undefined }) =>
		`key "${key}" was used for another request: use another key`,
	conversation: "Conversation",
	/**
	 * Returns the HTML of the form. All values must be escaped HTML. `needed` contains further attributes of the input
	 * field. `end` is the time of expiry in UTC.
	 */
	form: ({ question, facts, problem, needed, host, end }: PasswordForm) =>
		`<p>The agent writes:</p>
<blockquote>${question}</blockquote>
<dl>${facts}</dl>
${problem === undefined ? "" : `<p role="alert">Not accepted: ${problem}.</p>`}
<form method="post" accept-charset="utf-8" autocomplete="off">
<label for="value">Password</label>
<input id="value" name="value" type="password" autocomplete="off" maxlength="4096"${needed} autofocus>
<button type="submit">Send</button>
</form>
<p>It goes to the Parley gateway at ${host}, is stored there encrypted, and reaches only the tool that needs it. The chat and the model do not see it. If you did not expect this question, close the page.</p>
<p>This page works once, until ${end} UTC.</p>`,
} as const;
