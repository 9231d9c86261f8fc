import { playScenes } from "./play-scenes.ts";
import { unseenJoins } from "./scenes/lost-database.ts";
import { SlackSite } from "./slack-site.ts";

playScenes(SlackSite, unseenJoins);
