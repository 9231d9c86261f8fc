export const slackHelp = {
	tokens: `Set the environment variable SLACK_BOT_TOKEN. For Socket Mode, which needs no
public address, also set SLACK_APP_TOKEN. For HTTP, set SLACK_SIGNING_SECRET and
--listen, or slack.listen in the configuration. If these are set, \`parley start\`
starts this connector. \`parley slack setup\` sets up the app step by step;
\`parley slack doctor\` checks the app.`,
	manifestNotes: `
Without --diff, it prints the manifest to paste under "App Manifest" in the
settings of the app. With --diff, it compares this manifest with the manifest of
an installed app: + is missing, - is not needed, ~ differs. The exit code is 1
if anything differs. Names, descriptions and colours are not compared.

Examples:
  parley slack manifest > manifest.json
  parley slack manifest --diff installed.json
  parley slack manifest --public-url https://chat.example.com
`,
	listen: "address that receives requests from Slack over HTTP",
	parts: "its scopes and its sockets",
	manifest: "print the app manifest that Parley needs, or compare the manifest of an installed app",
	publicUrl: "for HTTP: public URL of this connector, without a path",
	diff: "the manifest of an installed app; - reads it from standard input",
	diffJson: "with --diff: print JSON",
} as const;
