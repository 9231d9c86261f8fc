export const completionHelp = {
	notes: `
bash:  echo 'source <(parley completion bash)' >> ~/.bashrc
zsh:   echo 'source <(parley completion zsh)' >> ~/.zshrc
fish:  parley completion fish > ~/.config/fish/completions/parley.fish
`,
	description: "print a script that lets your shell complete commands and options",
	shell: "your shell",
} as const;
