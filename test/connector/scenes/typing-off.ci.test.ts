import { DiscordSite } from "./discord-site.ts";
import { playScenes } from "./play-scenes.ts";
import { typingOff } from "./scenes/typing.ts";
import { SlackSite } from "./slack-site.ts";

playScenes(DiscordSite, typingOff);
playScenes(SlackSite, typingOff);
