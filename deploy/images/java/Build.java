import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.TypeKind;
import javax.lang.model.util.ElementFilter;
import javax.lang.model.util.Elements;
import javax.tools.JavaCompiler;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * Compiles one file whose public class may have any name, and notes which class is to be started: the first public one that
 * has a main method, else the first one that has. Its words are those of javac, its exit code is 1 if anything is wrong.
 */
public final class Build {
    private static final Path CLASSES = Path.of(".");
    /** Read by `java @main.args`. */
    private static final Path NOTE = CLASSES.resolve("main.args");

    public static void main(String[] words) throws IOException {
        Path source = Path.of(words[0]);
        PrintWriter errors = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<String> options = List.of(
                "-proc:none", "-implicit:class", "-encoding", "UTF-8", "-d", CLASSES.toString(), "-cp", words[1]);
        JavacTask task =
                (JavacTask) compiler.getTask(errors, null, null, options, null, List.of(new Source(source)));

        List<CompilationUnitTree> units = new ArrayList<>();
        task.parse().forEach(units::add);
        task.analyze();
        // Before the classes are written, after which javac has forgotten all.
        String main = main(units, task.getElements());
        if (!task.generate().iterator().hasNext()) System.exit(1);
        if (main == null) {
            errors.println(source + ": error: no class has a method public static void main(String[])");
            System.exit(1);
        }
        Files.writeString(NOTE, main + "\n");
    }

    private static String main(List<CompilationUnitTree> units, Elements elements) {
        List<TypeElement> startable = startable(units, elements);
        if (startable.isEmpty()) return null;
        TypeElement main = startable.stream()
                .filter(type -> type.getModifiers().contains(Modifier.PUBLIC))
                .findFirst()
                .orElse(startable.get(0));
        return elements.getBinaryName(main).toString();
    }

    private static List<TypeElement> startable(List<CompilationUnitTree> units, Elements elements) {
        List<TypeElement> found = new ArrayList<>();
        for (CompilationUnitTree unit : units) {
            String prefix = unit.getPackageName() == null ? "" : unit.getPackageName() + ".";
            for (Tree tree : unit.getTypeDecls()) {
                if (!(tree instanceof ClassTree declared)) continue;
                TypeElement type = elements.getTypeElement(prefix + declared.getSimpleName());
                if (type != null && hasMain(type, elements)) found.add(type);
            }
        }
        return found;
    }

    private static boolean hasMain(TypeElement type, Elements elements) {
        return ElementFilter.methodsIn(elements.getAllMembers(type)).stream().anyMatch(Build::isMain);
    }

    private static boolean isMain(ExecutableElement method) {
        return method.getSimpleName().contentEquals("main")
                && method.getModifiers().containsAll(List.of(Modifier.PUBLIC, Modifier.STATIC))
                && method.getReturnType().getKind() == TypeKind.VOID
                && method.getParameters().size() == 1
                && method.getParameters().get(0).asType().toString().equals("java.lang.String[]");
    }

    /** A file in which a public class may have another name than the file. */
    private static final class Source extends SimpleJavaFileObject {
        private final Path path;

        Source(Path path) {
            super(path.toUri(), Kind.SOURCE);
            this.path = path;
        }

        @Override
        public String getName() {
            return path.toString();
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) throws IOException {
            return new String(Files.readAllBytes(path), StandardCharsets.UTF_8);
        }

        @Override
        public boolean isNameCompatible(String simpleName, Kind kind) {
            return kind == Kind.SOURCE;
        }
    }
}
