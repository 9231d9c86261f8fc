/** The platform of a person or a room, as people write its name: `Discord` of `discord:1:2`. */
export function platformOf(id: string): string {
	const [name = ""] = id.split(":");
	return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
}
