/** Whether people would see nothing of a text: platforms refuse posts of that. */
export function isBlank(text: string): boolean {
	return !/[^\s\p{Cc}\p{Cf}]/u.test(text);
}
