fn main() {
    bindery_build::Handbook::of_package().write();
}
