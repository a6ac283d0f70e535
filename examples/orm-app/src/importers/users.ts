import { insertBatch } from "../db/batch.js";
import { User } from "../db/models.js";

/** Load users from `email,name` lines. */
export async function importUsers(lines: string[]): Promise<number> {
  const rows = lines.map((line) => {
    const [email = "", name = ""] = line.split(",");
    return { email, name };
  });
  return insertBatch(User, rows, { updateOnDuplicate: ["name"] });
}
