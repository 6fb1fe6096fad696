import * as z from "zod";

// The page's policy forbids code generated from text, which zod would otherwise try. This must run before any schema is
// created.
z.config({ jitless: true });
