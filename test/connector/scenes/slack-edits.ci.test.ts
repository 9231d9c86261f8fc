import { playScenes } from "./play-scenes.ts";
import { edits } from "./scenes/edits.ts";
import { SlackSite } from "./slack-site.ts";

playScenes(SlackSite, edits);
